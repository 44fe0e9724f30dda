package io.inbox4j.benchmarks.report;

import io.inbox4j.benchmarks.lab.Measurement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * All that was measured, of every workload the last run. It is kept in a file, so that one workload
 * can be measured again by itself.
 */
public record Results(Map<String, Section> sections) {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  /**
   * A workload.
   *
   * @param measured the day, and with what
   */
  public record Section(String title, String measured, List<Row> rows) {

    /** The row of this name, which is made if need be. */
    public Row row(String name, String contract) {
      return rows.stream()
          .filter(row -> row.name.equals(name))
          .findFirst()
          .orElseGet(
              () -> {
                Row row = new Row(name, contract, new ArrayList<>(), new TreeMap<>());
                rows.add(row);
                return row;
              });
    }
  }

  /**
   * A contender.
   *
   * @param runs the repetitions
   * @param figures what else was measured in each of them
   */
  public record Row(
      String name, String contract, List<Measurement> runs, Map<String, List<Double>> figures) {

    public double rate() {
      return median(runs.stream().map(Measurement::rate).toList());
    }

    public void figure(String what, double value) {
      figures.computeIfAbsent(what, it -> new ArrayList<>()).add(value);
    }
  }

  /** What was measured before, or nothing. */
  public static Results load(Path file) throws Exception {
    return Files.exists(file)
        ? JSON.readValue(Files.readString(file), Results.class)
        : new Results(new TreeMap<>());
  }

  public void save(Path file) throws Exception {
    Files.writeString(file, JSON.writeValueAsString(this) + "\n");
  }

  /** Begins a workload anew. */
  public Section begin(String key, String title, String measured) {
    Section section = new Section(title, measured, new ArrayList<>());
    sections.put(key, section);
    return section;
  }

  /** The median rate of a row, if it was measured. */
  public OptionalDouble rate(String key, String name) {
    return row(key, name).stream().mapToDouble(Row::rate).findFirst();
  }

  /** The median of what a message costs the database, in microseconds, if it was measured. */
  public OptionalDouble databaseMicros(String key, String name) {
    return row(key, name).stream()
        .mapToDouble(row -> median(row.runs.stream().map(Measurement::databaseMicros).toList()))
        .findFirst();
  }

  /** The median of another figure of a row, if it was measured. */
  public OptionalDouble figure(String key, String name, String figure) {
    return row(key, name).stream()
        .filter(row -> row.figures.containsKey(figure))
        .mapToDouble(row -> median(row.figures.get(figure)))
        .findFirst();
  }

  private List<Row> row(String key, String name) {
    return rows(key).stream().filter(row -> row.name.equals(name)).toList();
  }

  public List<Row> rows(String key) {
    Section section = sections.get(key);
    return section == null ? List.of() : section.rows;
  }

  static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    return sorted.isEmpty() ? Double.NaN : sorted.get(sorted.size() / 2);
  }
}
