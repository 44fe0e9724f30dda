/** The values of operator actions: filters, pauses, dead and quarantined messages, retention. */
@NullMarked
package io.inbox4j.operations;

import org.jspecify.annotations.NullMarked;
