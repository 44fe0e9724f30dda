package io.inbox4j.endtoend;

import static io.inbox4j.endtoend.BadInput.good;
import static io.inbox4j.endtoend.BadInput.handled;
import static io.inbox4j.endtoend.BadInput.quarantined;
import static io.inbox4j.listener.QuarantineReason.BODY_TOO_LARGE;
import static io.inbox4j.listener.QuarantineReason.CHARSET;
import static io.inbox4j.listener.QuarantineReason.CONTENT_ENCODING;
import static io.inbox4j.listener.QuarantineReason.CONTENT_TYPE;
import static io.inbox4j.listener.QuarantineReason.EMPTY_BODY;
import static io.inbox4j.listener.QuarantineReason.NOT_UTF8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Bodies of another kind, compressed, too large, or not there. */
final class BadContents {

  private static final int BOMB = 20 << 20;
  private static final String NOT_ENCODED = "expected a body that is not encoded";

  private BadContents() {}

  static Stream<BadInput> all() {
    return Stream.concat(kinds(), Stream.concat(compressed(), sizes()));
  }

  private static Stream<BadInput> kinds() {
    String reads = "the content type is '%s'; this inbox reads: application/json, text/json";
    return Stream.of(
        quarantined(
            "XML",
            good().contentType("text/xml"),
            "<order/>",
            CONTENT_TYPE,
            reads.formatted("text/xml")),
        quarantined(
            "a content type that is none",
            good().contentType("json"),
            "{}",
            CONTENT_TYPE,
            reads.formatted("json")),
        quarantined(
            "an empty content type",
            good().contentType(""),
            "{}",
            CONTENT_TYPE,
            reads.formatted("")),
        quarantined(
            "a serialized Java object",
            good().contentType("application/x-java-serialized-object"),
            serialized(),
            CONTENT_TYPE,
            reads.formatted("application/x-java-serialized-object")),
        quarantined(
            "another charset",
            good().contentType("application/json; charset=iso-8859-1"),
            "{}",
            CHARSET,
            "expected the charset utf-8"),
        quarantined(
            "a charset that is none",
            good().contentType("application/json; charset="),
            "{}",
            CHARSET,
            "expected the charset utf-8"),
        handled("no content type", good().contentType(null), "it is taken for JSON"),
        handled(
            "a content type in capitals",
            good().contentType("APPLICATION/JSON;Charset=\"UTF-8\""),
            "names of content types have no case"));
  }

  private static Stream<BadInput> compressed() {
    return Stream.of(
        quarantined(
            "gzip",
            good().contentEncoding("gzip"),
            gzip(BadInput.bytes("{}")),
            CONTENT_ENCODING,
            "the content encoding is 'gzip'; " + NOT_ENCODED),
        quarantined(
            "a gzip bomb",
            good().contentEncoding("gzip"),
            gzip(new byte[BOMB]),
            CONTENT_ENCODING,
            NOT_ENCODED),
        quarantined(
            "deflate",
            good().contentEncoding("deflate"),
            written(out -> new DeflaterOutputStream(out), BadInput.bytes("{}")),
            CONTENT_ENCODING,
            "the content encoding is 'deflate'; " + NOT_ENCODED),
        quarantined(
            "gzip that does not say so",
            good(),
            gzip(BadInput.bytes("{}")),
            NOT_UTF8,
            "the body has zero bytes"),
        quarantined(
            "a zip bomb",
            good().contentType("application/zip"),
            written(BadContents::zip, new byte[BOMB]),
            CONTENT_TYPE,
            "the content type is 'application/zip'"));
  }

  private static Stream<BadInput> sizes() {
    return Stream.of(
        quarantined("no body", good(), "", EMPTY_BODY, "the body is empty"),
        quarantined(
            "white space", good(), " \r\n\t", EMPTY_BODY, "the body has nothing but white space"),
        quarantined(
            "a body that is too large",
            good(),
            "{\"order\":\"%s\"}".formatted("x".repeat(BadInput.MAX_BODY)),
            BODY_TOO_LARGE,
            "the body has 200,012 bytes; this endpoint accepts 200,000"),
        quarantined(
            "a body of 20 MiB",
            good(),
            new byte[BOMB],
            BODY_TOO_LARGE,
            "the body has 20,971,520 bytes; this endpoint accepts 200,000"));
  }

  private static byte[] gzip(byte[] content) {
    return written(GZIPOutputStream::new, content);
  }

  private static OutputStream zip(OutputStream out) throws IOException {
    ZipOutputStream zip = new ZipOutputStream(out);
    zip.putNextEntry(new ZipEntry("bomb"));
    return zip;
  }

  private static byte[] serialized() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (var out = new java.io.ObjectOutputStream(bytes)) {
      out.writeObject(new ArrayList<String>());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private interface Coder {
    OutputStream on(OutputStream out) throws IOException;
  }

  private static byte[] written(Coder coder, byte[] content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = coder.on(bytes)) {
      out.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
