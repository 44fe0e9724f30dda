/**
 * The RabbitMQ transport; the entry point is {@link io.inbox4j.rabbitmq.RabbitTransport#connect}.
 */
@NullMarked
package io.inbox4j.rabbitmq;

import org.jspecify.annotations.NullMarked;
