/** What the program is told: options, the environment, a file. */
@NullMarked
package io.inbox4j.cli.internal.options;

import org.jspecify.annotations.NullMarked;
