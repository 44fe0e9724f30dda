package io.inbox4j.contract.transport;

import io.inbox4j.transport.ConnectionListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a transport has told about a connection, in order. */
final class ConnectionLog implements ConnectionListener {

  private final List<String> told = new CopyOnWriteArrayList<>();

  @Override
  public void connected(String endpoint) {
    told.add("connected " + endpoint);
  }

  @Override
  public void disconnected(String endpoint, Throwable cause) {
    told.add("disconnected " + endpoint + (cause == null ? " for no reason" : ""));
  }

  List<String> told() {
    return List.copyOf(told);
  }
}
