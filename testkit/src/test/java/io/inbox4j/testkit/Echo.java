package io.inbox4j.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Says what it is told, until it is told to end. */
final class Echo {

  private Echo() {}

  public static void main(String[] args) throws IOException {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("bye")));
    System.out.println("args " + List.of(args) + " " + System.getProperty("mood"));
    System.err.println("a complaint");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.startsWith("exit ")) {
        System.exit(Integer.parseInt(line.substring("exit ".length())));
      }
      System.out.println("echo " + line);
    }
  }
}
