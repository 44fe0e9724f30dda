package io.inbox4j.rabbitmq;

import com.rabbitmq.client.MissedHeartbeatException;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import javax.net.ssl.SSLException;

/**
 * Distinguishes a connection that was lost or closed by the broker from one closed by this client.
 */
final class ConnectionLoss {

  private ConnectionLoss() {}

  static boolean is(Throwable failure) {
    if (!(failure instanceof ShutdownSignalException signal)) {
      return failure instanceof IOException; // a consumer cancelled by the broker, an unsent ack
    }
    Throwable cause = signal.getCause();
    return (signal.getReason() != null && !signal.isInitiatedByApplication()) // by the broker
        || cause instanceof EOFException
        || cause instanceof SocketException
        || cause instanceof SocketTimeoutException
        || cause instanceof SSLException
        || cause instanceof MissedHeartbeatException;
  }
}
