package io.inbox4j.publishing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.inbox4j.testkit.ChildProcess;
import io.inbox4j.testkit.PostgresServer;
import io.inbox4j.testkit.RabbitServer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two services with a database each: orders go from one's outbox to the other's inbox, and invoices
 * back, while both are killed.
 */
@Tag("slow")
class ServiceChainTest {

  private static final int ORDERS = Integer.getInteger("inbox.publishing.orders", 5_000);
  private static final int KILLS = 3;
  private static final Duration START = Duration.ofSeconds(60);

  private final RabbitServer broker = RabbitServer.start();
  private final String shopUrl = PostgresServer.shared().newDatabase();
  private final String billingUrl = PostgresServer.shared().newDatabase();
  private final Jdbi shopData = Jdbi.create(shopUrl);
  private final Jdbi billingData = Jdbi.create(billingUrl);
  private final Random random = new Random(4711);

  @AfterEach
  void stop() {
    broker.close();
  }

  @Test
  void everyOrderIsBilledOnceAndInOrderWhileBothServicesAreKilled() {
    shopData.useHandle(
        handle ->
            handle.execute(
                "CREATE TABLE orders (id integer PRIMARY KEY, customer text, number integer,"
                    + " invoices integer, out_of_turn boolean)"));
    billingData.useHandle(handle -> handle.execute("CREATE TABLE invoices (order_id integer)"));

    ChildProcess billing = start(Billing.class, billingUrl);
    ChildProcess shop = start(Shop.class, shopUrl);
    for (int kill = 1; kill <= KILLS; kill++) {
      long due = (long) ORDERS * kill / (KILLS + 1);
      await().atMost(Duration.ofMinutes(2)).until(() -> orders() >= due);
      if (random.nextBoolean() || kill == 1) {
        shop.kill9();
        shop = start(Shop.class, shopUrl);
      }
      if (random.nextBoolean() || kill == 2) {
        billing.kill9();
        billing = start(Billing.class, billingUrl);
      }
    }
    await()
        .atMost(Duration.ofMinutes(3))
        .until(
            () ->
                count(shopData, "SELECT count(*) FROM orders WHERE invoices > 0") == ORDERS
                    && count(shopData, "SELECT count(*) FROM outbox_messages") == 0
                    && count(billingData, "SELECT count(*) FROM outbox_messages") == 0);
    shop.close();
    billing.close();

    assertThat(count(billingData, "SELECT count(*) FROM invoices")).isEqualTo(ORDERS);
    assertThat(count(billingData, "SELECT count(DISTINCT order_id) FROM invoices"))
        .isEqualTo(ORDERS);
    assertThat(count(shopData, "SELECT count(*) FROM orders WHERE invoices <> 1")).isZero();
    assertThat(count(shopData, "SELECT count(*) FROM orders WHERE out_of_turn")).isZero();
    assertThat(count(shopData, "SELECT count(*) FROM outbox_dead")).isZero();
    assertThat(count(billingData, "SELECT count(*) FROM outbox_dead")).isZero();
  }

  /** A process that starts fast rather than running fast. */
  private ChildProcess start(Class<?> program, String database) {
    ChildProcess process =
        ChildProcess.start(
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
            program,
            database,
            broker.uri(),
            String.valueOf(ORDERS));
    process.awaitLine("started", START);
    return process;
  }

  private long orders() {
    return count(shopData, "SELECT count(*) FROM orders");
  }

  private static long count(Jdbi jdbi, String query) {
    return jdbi.withHandle(handle -> handle.createQuery(query).mapTo(Long.class).one());
  }
}
