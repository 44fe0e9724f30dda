/** The processor as a process of its own. */
@NullMarked
package io.inbox4j.cli.internal.service;

import org.jspecify.annotations.NullMarked;
