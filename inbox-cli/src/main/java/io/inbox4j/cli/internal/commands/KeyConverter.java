package io.inbox4j.cli.internal.commands;

import io.inbox4j.cli.internal.tables.MessageKey;
import picocli.CommandLine;

/** Parses a message key. */
final class KeyConverter implements CommandLine.ITypeConverter<MessageKey> {

  @Override
  public MessageKey convert(String text) {
    return MessageKey.parse(text);
  }
}
