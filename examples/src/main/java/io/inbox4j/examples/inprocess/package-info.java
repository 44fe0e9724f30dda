/** The quick start: receive and process in one process. */
@NullMarked
package io.inbox4j.examples.inprocess;

import org.jspecify.annotations.NullMarked;
