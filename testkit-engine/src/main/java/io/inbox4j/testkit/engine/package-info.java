/** What an inbox tells its listeners and its log, for tests. */
@NullMarked
package io.inbox4j.testkit.engine;

import org.jspecify.annotations.NullMarked;
