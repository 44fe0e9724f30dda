/** The processor as a process of its own. */
@NullMarked
package io.inbox4j.worker.internal.service;

import org.jspecify.annotations.NullMarked;
