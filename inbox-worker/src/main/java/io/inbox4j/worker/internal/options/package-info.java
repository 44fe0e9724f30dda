/** What the program is told: options, the environment, a file. */
@NullMarked
package io.inbox4j.worker.internal.options;

import org.jspecify.annotations.NullMarked;
