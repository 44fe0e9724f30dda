package io.inbox4j.rabbitmq;

import com.rabbitmq.client.impl.ValueReader;
import io.inbox4j.transport.Delivery;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The raw header table of a message, as the broker sends it.
 *
 * <p>A header that the client cannot parse becomes a byte array of its raw content, and one more
 * header names all of these. All others stay unchanged.
 *
 * @param entries each a name, a type and a value
 */
record HeaderTable(List<byte[]> entries) {

  private static final int MAX_NAMES = 500;

  /** Converts a table that the client cannot parse into one that it can. */
  static HeaderTable readable(byte[] table) throws IOException {
    List<byte[]> entries = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(table));
    while (in.available() > 0) {
      int begin = table.length - in.available();
      byte[] name = in.readNBytes(in.readUnsignedByte());
      int type = table.length - in.available();
      skipValue(in);
      int end = table.length - in.available();
      byte[] entry = Arrays.copyOfRange(table, begin, end);
      if (isReadable(entry)) {
        entries.add(entry);
      } else {
        entries.add(entry(name, 'x', Arrays.copyOfRange(table, type, end)));
        unreadable.add(new String(name, StandardCharsets.UTF_8));
      }
    }
    return new HeaderTable(entries).naming(String.join(", ", unreadable));
  }

  /** Creates a table with all the properties of a message in one header, as bytes. */
  static HeaderTable unreadable(byte[] properties) throws IOException {
    return new HeaderTable(List.of(entry(bytes("properties"), 'x', properties)))
        .naming("properties");
  }

  /** The client uses the first of two headers of the same name, so this one cannot be forged. */
  private HeaderTable naming(String unreadable) throws IOException {
    String cut = unreadable.substring(0, Math.min(unreadable.length(), MAX_NAMES));
    List<byte[]> all = new ArrayList<>();
    all.add(entry(bytes(Delivery.UNREADABLE_HEADERS), 'S', bytes(cut)));
    all.addAll(entries);
    return new HeaderTable(all);
  }

  /** Tables and lists start with their length, so there is no need to descend into them. */
  private static void skipValue(DataInputStream in) throws IOException {
    switch (in.readUnsignedByte()) {
      case 'V' -> {}
      case 't', 'b', 'B' -> in.skipNBytes(1);
      case 's', 'u' -> in.skipNBytes(2);
      case 'I', 'i', 'f' -> in.skipNBytes(4);
      case 'D' -> in.skipNBytes(5);
      case 'l', 'L', 'd', 'T' -> in.skipNBytes(8);
      case 'S', 'x', 'F', 'A' -> in.skipNBytes(Integer.toUnsignedLong(in.readInt()));
      default -> in.skipNBytes(in.available()); // its length is unknown
    }
  }

  private static boolean isReadable(byte[] entry) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new HeaderTable(List.of(entry)).writeTo(new DataOutputStream(bytes));
    DataInputStream table = new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()));
    try {
      new ValueReader(table).readTable();
      return true;
    } catch (IOException | RuntimeException | StackOverflowError e) {
      return false;
    }
  }

  private static byte[] entry(byte[] name, char type, byte[] value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(name.length);
    out.write(name);
    out.writeByte(type);
    out.writeInt(value.length);
    out.write(value);
    return bytes.toByteArray();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  void writeTo(DataOutputStream out) throws IOException {
    out.writeInt(entries.stream().mapToInt(entry -> entry.length).sum());
    for (byte[] entry : entries) {
      out.write(entry);
    }
  }
}
