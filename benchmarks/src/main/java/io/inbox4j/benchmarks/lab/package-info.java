/** What everything is measured with. */
@NullMarked
package io.inbox4j.benchmarks.lab;

import org.jspecify.annotations.NullMarked;
