package io.inbox4j.cli.internal.commands;

import io.inbox4j.jdbi.JdbiInboxStore;
import java.util.Objects;
import picocli.CommandLine;

/** What {@code inbox --version} prints. */
public final class VersionText implements CommandLine.IVersionProvider {

  @Override
  public String[] getVersion() {
    String version = VersionText.class.getPackage().getImplementationVersion();
    return new String[] {
      "inbox %s, tables of version %d, Java %s"
          .formatted(
              Objects.requireNonNullElse(version, "of a build that is no release"),
              JdbiInboxStore.schemaVersion(),
              System.getProperty("java.version"))
    };
  }
}
