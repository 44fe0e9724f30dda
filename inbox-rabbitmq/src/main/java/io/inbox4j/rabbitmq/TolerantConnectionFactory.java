package io.inbox4j.rabbitmq;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MetricsCollector;
import com.rabbitmq.client.impl.AMQConnection;
import com.rabbitmq.client.impl.ConnectionParams;
import com.rabbitmq.client.impl.FrameHandler;
import com.rabbitmq.client.observation.ObservationCollector;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates connections that no message can kill, unless they are to recover automatically. */
final class TolerantConnectionFactory extends ConnectionFactory {

  private static final Logger log = LoggerFactory.getLogger(TolerantConnectionFactory.class);

  private ObservationCollector observations = ObservationCollector.NO_OP;

  /**
   * Returns a copy with the same settings that creates tolerant connections if possible: not for a
   * subclass, which has its own way to connect.
   */
  static ConnectionFactory copyOf(ConnectionFactory settings) {
    if (settings.getClass() != ConnectionFactory.class) {
      return settings.clone();
    }
    TolerantConnectionFactory copy = new TolerantConnectionFactory();
    try {
      for (Field field : ConnectionFactory.class.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          field.setAccessible(true);
          Object value = field.get(settings);
          field.set(copy, value);
          if (value instanceof ObservationCollector collector) {
            copy.observations = collector;
          }
        }
      }
      return copy;
    } catch (InaccessibleObjectException | IllegalAccessException e) {
      log.debug("The settings of a ConnectionFactory cannot be read; it is used as it is", e);
      return settings.clone();
    }
  }

  @Override
  public void setObservationCollector(ObservationCollector collector) {
    super.setObservationCollector(collector);
    observations = collector;
  }

  @Override
  protected AMQConnection createConnection(
      ConnectionParams params, FrameHandler handler, MetricsCollector metrics) {
    return new TolerantConnection(params, handler, metrics, observations);
  }
}
