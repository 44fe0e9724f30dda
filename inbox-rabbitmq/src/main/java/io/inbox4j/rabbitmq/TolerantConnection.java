package io.inbox4j.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.MetricsCollector;
import com.rabbitmq.client.impl.AMQConnection;
import com.rabbitmq.client.impl.ChannelManager;
import com.rabbitmq.client.impl.ChannelN;
import com.rabbitmq.client.impl.ConnectionParams;
import com.rabbitmq.client.impl.ConsumerWorkService;
import com.rabbitmq.client.impl.Frame;
import com.rabbitmq.client.impl.FrameHandler;
import com.rabbitmq.client.observation.ObservationCollector;
import java.io.IOException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;

/**
 * A connection that no message can kill.
 *
 * <p>The broker accepts headers that the client cannot parse: nested too deeply, or of an unknown
 * type. They would end the connection before anybody has seen the message, then the next
 * connection, and so on. Here a content header frame that the client cannot parse is replaced by
 * one that it can; see {@link ContentHeader}. Frames that it can parse cause no overhead.
 */
final class TolerantConnection extends AMQConnection {

  /**
   * What the broker adds to headers as large as a frame (delivery counts, dead-letter history)
   * makes the frame larger than negotiated, which the client rejects.
   */
  private static final int MAX_FRAME = 16 << 20;

  TolerantConnection(
      ConnectionParams params,
      FrameHandler handler,
      MetricsCollector metrics,
      ObservationCollector observations) {
    super(params, handler, metrics, observations);
  }

  @Override
  public void start() throws IOException, TimeoutException {
    super.start();
    try {
      getFrameHandler().setFrameMax(MAX_FRAME);
    } catch (NoSuchMethodError e) {
      return; // an older client, which does not check the size
    }
  }

  @Override
  protected ChannelManager instantiateChannelManager(int max, ThreadFactory threads) {
    ChannelManager channels =
        new ChannelManager(_workService, max, threads, metricsCollector, observationCollector) {
          @Override
          protected ChannelN instantiateChannel(
              AMQConnection connection, int number, ConsumerWorkService work) {
            return new TolerantChannel(
                connection, number, work, metricsCollector, observationCollector);
          }
        };
    configureChannelManager(channels);
    return channels;
  }

  private static final class TolerantChannel extends ChannelN {

    TolerantChannel(
        AMQConnection connection,
        int number,
        ConsumerWorkService work,
        MetricsCollector metrics,
        ObservationCollector observations) {
      super(connection, number, work, metrics, observations);
    }

    @Override
    public void handleFrame(Frame frame) throws IOException {
      try {
        super.handleFrame(frame);
      } catch (Throwable e) { // including a stack overflow
        if (!ContentHeader.isUnreadable(frame.getPayload())) {
          throw e;
        }
        // The client has consumed nothing of it and is still waiting for a header.
        byte[] readable = ContentHeader.readable(frame.getPayload());
        super.handleFrame(new Frame(AMQP.FRAME_HEADER, getChannelNumber(), readable));
      }
    }
  }
}
