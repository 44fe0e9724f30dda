/** How results look, to people and to scripts. */
@NullMarked
package io.inbox4j.cli.internal.terminal;

import org.jspecify.annotations.NullMarked;
