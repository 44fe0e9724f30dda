package io.inbox4j.rabbitmq;

import com.rabbitmq.client.impl.AMQImpl;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The raw content header frame of a message, as the broker sends it.
 *
 * <p>{@link #readable} turns a frame that the client cannot parse into one that it can: only
 * headers differ, see {@link HeaderTable}.
 */
final class ContentHeader {

  private static final int BASIC_CLASS = 60;
  private static final int CONTENT_TYPE = 1 << 15;
  private static final int CONTENT_ENCODING = 1 << 14;
  private static final int HEADERS = 1 << 13;

  /** The class, the weight and the body size. */
  private static final int FIXED = 2 + 2 + 8;

  private ContentHeader() {}

  /** Whether it is a content header that the client cannot parse. */
  static boolean isUnreadable(byte[] frame) {
    return frame.length > FIXED
        && ByteBuffer.wrap(frame).getInt() == BASIC_CLASS << 16 // a method has its id here
        && !isReadable(frame);
  }

  /** Whether the client can parse it. */
  static boolean isReadable(byte[] frame) {
    try {
      AMQImpl.readContentHeaderFrom(new DataInputStream(new ByteArrayInputStream(frame)));
      return true;
    } catch (IOException | RuntimeException | StackOverflowError e) {
      return false;
    }
  }

  /** Converts a frame that the client cannot parse into one that it can. */
  static byte[] readable(byte[] frame) throws IOException {
    try {
      byte[] readable = withReadableHeaders(frame);
      return isReadable(readable) ? readable : withoutProperties(frame);
    } catch (IOException | RuntimeException e) { // truncated
      return withoutProperties(frame);
    }
  }

  private static byte[] withReadableHeaders(byte[] frame) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(frame.length);
    DataOutputStream out = new DataOutputStream(bytes);
    out.write(in.readNBytes(FIXED));
    int present = in.readUnsignedShort();
    out.writeShort(present);
    if ((present & CONTENT_TYPE) != 0) {
      copyShortString(in, out);
    }
    if ((present & CONTENT_ENCODING) != 0) {
      copyShortString(in, out);
    }
    if ((present & HEADERS) != 0) {
      HeaderTable.readable(in.readNBytes(in.readInt())).writeTo(out);
    }
    out.write(in.readAllBytes());
    return bytes.toByteArray();
  }

  private static void copyShortString(DataInputStream in, DataOutputStream out) throws IOException {
    int length = in.readUnsignedByte();
    out.writeByte(length);
    out.write(in.readNBytes(length));
  }

  /** Keeps only the body size; all properties become a single header, as bytes. */
  private static byte[] withoutProperties(byte[] frame) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(frame.length);
    DataOutputStream out = new DataOutputStream(bytes);
    out.write(frame, 0, FIXED);
    out.writeShort(HEADERS);
    HeaderTable.unreadable(Arrays.copyOfRange(frame, FIXED, frame.length)).writeTo(out);
    return bytes.toByteArray();
  }
}
