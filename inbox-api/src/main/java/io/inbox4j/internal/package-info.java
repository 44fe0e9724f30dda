/** What the modules share and users do not call; it can change in any release. */
@NullMarked
package io.inbox4j.internal;

import org.jspecify.annotations.NullMarked;
