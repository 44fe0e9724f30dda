/** What the commands do at the broker. */
@NullMarked
package io.inbox4j.worker.internal.broker;

import org.jspecify.annotations.NullMarked;
