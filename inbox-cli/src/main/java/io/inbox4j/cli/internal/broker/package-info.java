/** What the commands do at the broker. */
@NullMarked
package io.inbox4j.cli.internal.broker;

import org.jspecify.annotations.NullMarked;
