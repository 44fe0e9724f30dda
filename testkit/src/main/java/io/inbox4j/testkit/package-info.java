/** Real servers and child processes for tests: a PostgreSQL, a RabbitMQ, another JVM. */
@NullMarked
package io.inbox4j.testkit;

import org.jspecify.annotations.NullMarked;
