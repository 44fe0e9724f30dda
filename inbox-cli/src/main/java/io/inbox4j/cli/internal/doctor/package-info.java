/** Examinations of the database and the broker. */
@NullMarked
package io.inbox4j.cli.internal.doctor;

import org.jspecify.annotations.NullMarked;
