package io.inbox4j.benchmarks.lab;

import java.util.Map;

/**
 * What a trial has shown.
 *
 * @param figures what else was measured, by name
 */
public record TrialResult(Measurement measurement, Map<String, Double> figures) {}
