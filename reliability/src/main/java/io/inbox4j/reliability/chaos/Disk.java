package io.inbox4j.reliability.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A file system of the run's own, in memory, that can be full. Who may not mount one gets a plain
 * folder, which never is.
 */
final class Disk implements AutoCloseable {

  private static final long SIZE = 6L << 30;
  private static final long PAGE = 4096;

  private final Path folder;
  private final boolean ours;

  private Disk(Path folder, boolean ours) {
    this.folder = folder;
    this.ours = ours;
  }

  static Disk mount() {
    try {
      Path folder = Files.createTempDirectory("inbox-disk");
      boolean mounted =
          run("mount", "-t", "tmpfs", "-o", "mode=0777,size=" + SIZE, "inbox", folder.toString());
      Disk disk = new Disk(folder, mounted);
      Runtime.getRuntime().addShutdownHook(new Thread(disk::close, "unmount"));
      return disk;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create a folder", e);
    }
  }

  Path folder() {
    return folder;
  }

  /** Whether it can be full. */
  boolean isOurs() {
    return ours;
  }

  /** Leaves no room. What is written meanwhile may take what there is, so it tries again. */
  void fill() {
    for (int i = 0; i < 100; i++) {
      if (resize(used() + i * PAGE)) {
        return;
      }
    }
    throw new IllegalStateException("cannot fill " + folder);
  }

  /** Makes room again. */
  void free() {
    if (!resize(SIZE)) {
      throw new IllegalStateException("cannot make room in " + folder);
    }
  }

  private long used() {
    try {
      var store = Files.getFileStore(folder);
      return store.getTotalSpace() - store.getUsableSpace();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean resize(long bytes) {
    return run("mount", "-o", "remount,size=" + bytes, folder.toString());
  }

  private static boolean run(String... command) {
    try {
      return new ProcessBuilder(List.of(command))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    if (ours && Files.isDirectory(folder)) {
      run("umount", "-l", folder.toString());
    }
    try {
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      // somebody is still in it
    }
  }
}
