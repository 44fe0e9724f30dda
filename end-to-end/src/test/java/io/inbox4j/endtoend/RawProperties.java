package io.inbox4j.endtoend;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.impl.Frame;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The properties of an order with an id of bytes that the client would not write. */
final class RawProperties extends AMQP.BasicProperties {

  private static final int CONTENT_TYPE = 1 << 15;
  private static final int DELIVERY_MODE = 1 << 12;
  private static final int MESSAGE_ID = 1 << 7;
  private static final int TYPE = 1 << 5;
  private static final int PERSISTENT = 2;

  private final byte[] messageId;

  private RawProperties(byte[] messageId) {
    this.messageId = messageId;
  }

  /** With this message id. */
  static AMQP.BasicProperties messageId(byte[] messageId) {
    return new RawProperties(messageId);
  }

  @Override
  public Frame toFrame(int channel, long bodySize) {
    Frame frame = new Frame(AMQP.FRAME_HEADER, channel);
    try {
      DataOutputStream out = frame.getOutputStream();
      out.writeShort(getClassId());
      out.writeShort(0); // weight
      out.writeLong(bodySize);
      out.writeShort(CONTENT_TYPE | DELIVERY_MODE | MESSAGE_ID | TYPE);
      shortString(out, "application/json".getBytes(StandardCharsets.US_ASCII));
      out.writeByte(PERSISTENT);
      shortString(out, messageId);
      shortString(out, "orders.order-placed".getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return frame;
  }

  private static void shortString(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeByte(bytes.length);
    out.write(bytes);
  }
}
