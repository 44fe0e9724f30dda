package io.inbox4j.cli.internal.service;

import java.nio.charset.StandardCharsets;

/**
 * An HTTP response.
 *
 * @param code the status code, 200 for example
 * @param type the content type of the text
 */
record HttpAnswer(int code, String type, String text) {

  /** A response with a status and no text. */
  static HttpAnswer of(int code) {
    return new HttpAnswer(code, "text/plain; charset=utf-8", "");
  }

  /** The bytes to send. */
  byte[] bytes(boolean onlyHead) {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    byte[] head =
        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n%sConnection: close\r\n\r\n"
            .formatted(code, phrase(), type, body.length, code == 405 ? "Allow: GET, HEAD\r\n" : "")
            .getBytes(StandardCharsets.ISO_8859_1);
    if (onlyHead) {
      return head;
    }
    byte[] all = new byte[head.length + body.length];
    System.arraycopy(head, 0, all, 0, head.length);
    System.arraycopy(body, 0, all, head.length, body.length);
    return all;
  }

  private String phrase() {
    return switch (code) {
      case 200 -> "OK";
      case 400 -> "Bad Request";
      case 404 -> "Not Found";
      case 405 -> "Method Not Allowed";
      case 503 -> "Service Unavailable";
      default -> "Internal Server Error";
    };
  }
}
