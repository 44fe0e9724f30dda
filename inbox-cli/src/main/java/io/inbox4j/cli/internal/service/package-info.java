/** The worker process and its health endpoints. */
@NullMarked
package io.inbox4j.cli.internal.service;

import org.jspecify.annotations.NullMarked;
