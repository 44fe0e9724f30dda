/** The program's configuration: options, environment variables, a file. */
@NullMarked
package io.inbox4j.cli.internal.options;

import org.jspecify.annotations.NullMarked;
