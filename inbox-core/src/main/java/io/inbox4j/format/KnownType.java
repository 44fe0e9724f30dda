package io.inbox4j.format;

import io.inbox4j.event.IntegrationEvent;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The meaning of an event type's name.
 *
 * @param event the class that is read
 * @param upcaster turns the JSON of an old version into that of the class; null if none is needed
 */
public record KnownType<T extends IntegrationEvent>(
    Class<? extends T> event, @Nullable UnaryOperator<ObjectNode> upcaster) {}
