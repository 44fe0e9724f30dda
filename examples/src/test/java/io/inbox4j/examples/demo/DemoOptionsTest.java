package io.inbox4j.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class DemoOptionsTest {

  @Test
  void thereAreTenThousandOrdersOnEmbeddedServersByDefault() {
    assertThat(DemoOptions.parse()).isEqualTo(new DemoOptions(10_000, null, null, false));
  }

  @Test
  void aWrongArgumentIsNamedWithWhatIsExpected() {
    assertRefused("'--order' is no option; expected --orders", "--order", "5");
    assertRefused("--orders is 'many'; expected a number from 200 to 1000000", "--orders", "many");
    assertRefused("--orders is 5; expected 200 to 1000000", "--orders", "5");
    assertRefused("--orders has no value", "--orders");
    assertRefused("--amqp is given alone; expected both", "--amqp", "amqp://localhost");
    assertRefused("--jdbc is given alone; expected both", "--jdbc", "jdbc:postgresql:x");
    assertRefused("--amqp is 'localhost'", "--amqp", "localhost", "--jdbc", "jdbc:postgresql:x");
  }

  @Test
  void aWrongAddressIsNamedWithoutItsPassword() {
    assertRefused(
        "--amqp is 'http://***@broker'; expected for example amqp://",
        "--amqp",
        "http://me:secret@broker",
        "--jdbc",
        "jdbc:postgresql:x");
    assertRefused(
        "--jdbc is 'jdbc:mysql://db/x?password=***&a=b'; expected for example jdbc:postgresql:",
        "--amqp",
        "amqp://localhost",
        "--jdbc",
        "jdbc:mysql://db/x?password=secret&a=b");
  }

  private static void assertRefused(String why, String... args) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DemoOptions.parse(args))
        .withMessageStartingWith(why);
  }
}
