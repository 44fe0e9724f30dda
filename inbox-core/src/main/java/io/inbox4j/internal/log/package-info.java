/** Log output without payloads, without forged lines, and not too often. */
@NullMarked
package io.inbox4j.internal.log;

import org.jspecify.annotations.NullMarked;
