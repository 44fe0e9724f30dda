/** The processor and its transactional and inline workers. */
@NullMarked
package io.inbox4j.internal.process;

import org.jspecify.annotations.NullMarked;
