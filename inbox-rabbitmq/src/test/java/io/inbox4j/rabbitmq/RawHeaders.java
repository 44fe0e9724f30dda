package io.inbox4j.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.impl.Frame;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The properties of a message with a header that the client would not write. */
final class RawHeaders extends AMQP.BasicProperties {

  private static final int CONTENT_TYPE = 1 << 15;
  private static final int HEADERS = 1 << 13;
  private static final int MESSAGE_ID = 1 << 7;
  private static final int TYPE = 1 << 5;

  private final byte[] headers;

  private RawHeaders(byte[] headers) {
    this.headers = headers;
  }

  /** With a header of this type and value, and one that anybody can read. */
  static RawHeaders of(char type, byte[] value) {
    return new RawHeaders(
        written(
            out -> {
              shortString(out, "odd");
              out.writeByte(type);
              out.write(value);
              shortString(out, "good");
              out.writeByte('I');
              out.writeInt(7);
            }));
  }

  /** A table in a table in a table, with so many bytes of it that the client cannot write it. */
  static byte[] nested(int depth) {
    byte[] table = {};
    for (int i = 0; i < depth; i++) {
      byte[] inner = table;
      table =
          written(
              out -> {
                shortString(out, "");
                out.writeByte('F');
                out.writeInt(inner.length);
                out.write(inner);
              });
    }
    byte[] all = table;
    return written(
        out -> {
          out.writeInt(all.length);
          out.write(all);
        });
  }

  @Override
  public Frame toFrame(int channel, long bodySize) {
    Frame frame = new Frame(AMQP.FRAME_HEADER, channel);
    try {
      frame.getOutputStream().write(payload(bodySize));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return frame;
  }

  byte[] payload(long bodySize) {
    return written(
        out -> {
          out.writeShort(getClassId());
          out.writeShort(0); // weight
          out.writeLong(bodySize);
          out.writeShort(CONTENT_TYPE | HEADERS | MESSAGE_ID | TYPE);
          shortString(out, "application/json");
          out.writeInt(headers.length);
          out.write(headers);
          shortString(out, "m1");
          shortString(out, "stock-counted");
        });
  }

  private interface Writing {
    void to(DataOutputStream out) throws IOException;
  }

  private static byte[] written(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      writing.to(new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void shortString(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeByte(bytes.length);
    out.write(bytes);
  }
}
