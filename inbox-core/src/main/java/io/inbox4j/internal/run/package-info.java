/** Runs claimed messages in segments, invokes their handlers and reports the outcomes. */
@NullMarked
package io.inbox4j.internal.run;

import org.jspecify.annotations.NullMarked;
