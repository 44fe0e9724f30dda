/** The checks at the door and the way into the store; users do not call these. */
@NullMarked
package io.inbox4j.receive.internal;

import org.jspecify.annotations.NullMarked;
