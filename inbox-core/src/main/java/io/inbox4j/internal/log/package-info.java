/** Log output without payloads and forged lines, and rate-limited. */
@NullMarked
package io.inbox4j.internal.log;

import org.jspecify.annotations.NullMarked;
