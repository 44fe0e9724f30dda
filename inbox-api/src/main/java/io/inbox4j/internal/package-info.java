/** Code shared by the modules of Inbox; not part of the API. */
@NullMarked
package io.inbox4j.internal;

import org.jspecify.annotations.NullMarked;
