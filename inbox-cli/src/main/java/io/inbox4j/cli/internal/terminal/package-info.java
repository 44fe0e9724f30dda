/** The presentation of results to people and scripts. */
@NullMarked
package io.inbox4j.cli.internal.terminal;

import org.jspecify.annotations.NullMarked;
