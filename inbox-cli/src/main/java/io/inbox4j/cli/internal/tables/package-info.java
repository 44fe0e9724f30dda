/** What the tables say, read without getting in the way of those who work. */
@NullMarked
package io.inbox4j.cli.internal.tables;

import org.jspecify.annotations.NullMarked;
