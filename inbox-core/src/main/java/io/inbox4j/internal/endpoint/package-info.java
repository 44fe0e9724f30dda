/** An endpoint's immutable configuration: event types, handlers, retry policies, handling mode. */
@NullMarked
package io.inbox4j.internal.endpoint;

import org.jspecify.annotations.NullMarked;
