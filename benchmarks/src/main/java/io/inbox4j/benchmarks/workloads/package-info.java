/** What is measured, and how often. */
@NullMarked
package io.inbox4j.benchmarks.workloads;

import org.jspecify.annotations.NullMarked;
