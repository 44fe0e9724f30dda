package io.inbox4j.worker.internal.commands;

import io.inbox4j.worker.internal.tables.MessageKey;
import picocli.CommandLine;

/** Reads the name of a message. */
final class KeyConverter implements CommandLine.ITypeConverter<MessageKey> {

  @Override
  public MessageKey convert(String text) {
    return MessageKey.parse(text);
  }
}
