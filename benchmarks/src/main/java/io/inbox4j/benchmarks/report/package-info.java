/** What was measured, as tables and charts. */
@NullMarked
package io.inbox4j.benchmarks.report;

import org.jspecify.annotations.NullMarked;
