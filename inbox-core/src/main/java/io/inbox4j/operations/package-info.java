/**
 * The values that operators see and pass: filters, pauses, dead and quarantined messages,
 * retention.
 */
@NullMarked
package io.inbox4j.operations;

import org.jspecify.annotations.NullMarked;
