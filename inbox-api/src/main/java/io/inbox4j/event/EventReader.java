package io.inbox4j.event;

import io.inbox4j.IntegrationEvent;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Reads events from JSON. */
public final class EventReader {

  /** How deep JSON may be nested. */
  public static final int MAX_DEPTH = 100;

  /** How many characters a number may have. */
  public static final int MAX_NUMBER_LENGTH = 100;

  private static final String ID_FIELD = "messageId";

  private final JsonMapper mapper;
  private final Map<Class<?>, ObjectReader> readers = new ConcurrentHashMap<>();

  public EventReader(JsonMapper mapper) {
    this.mapper = mapper;
  }

  /**
   * The mapper that is used unless the builder gets another one.
   *
   * <ul>
   *   <li>unknown fields are ignored, so that producers can add some
   *   <li>a missing or null primitive is an error, not a zero
   *   <li>{@code 1.9} and {@code "7"} are no integers
   *   <li>nothing may follow the document
   *   <li>depth and length of numbers are limited
   * </ul>
   */
  public static JsonMapper defaultMapper() {
    return JsonMapper.builder(factory())
        .annotationIntrospector(new RequiredPrimitives())
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
        .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build();
  }

  /** The factory of parsers with the limits that apply to every body. */
  public static JsonFactory factory() {
    return JsonFactory.builder()
        .streamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(MAX_DEPTH)
                .maxNumberLength(MAX_NUMBER_LENGTH)
                .maxStringLength(Integer.MAX_VALUE)
                .build())
        .build();
  }

  /** The same, but a field that the class does not have is an error. */
  public static JsonMapper strictMapper() {
    return defaultMapper()
        .rebuild()
        .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .build();
  }

  /**
   * The event in these bytes, brought up to the class's version first if its type is an old one.
   *
   * <p>A body that does not carry its message id, or carries one that is no UUID, gets the id that
   * the message was stored under.
   *
   * @throws UnreadableEventException if the body does not fit the class
   */
  public <T extends IntegrationEvent> T read(byte[] body, KnownType<T> type, UUID messageId) {
    Class<? extends T> event = type.event();
    try {
      if (type.upcaster() == null) {
        T read = tryRead(body, event);
        if (read != null && read.messageId() != null) {
          return read;
        }
      }
      return readTree(body, type, messageId);
    } catch (JacksonException e) {
      throw new UnreadableEventException(
          "the body does not fit %s%s".formatted(event.getName(), where(e)), e);
    }
  }

  private <T extends IntegrationEvent> @Nullable T tryRead(byte[] body, Class<T> event) {
    try {
      return readers.computeIfAbsent(event, mapper::readerFor).readValue(body);
    } catch (DatabindException e) {
      if (e.getPath().size() == 1 && ID_FIELD.equals(e.getPath().get(0).getPropertyName())) {
        return null;
      }
      throw e;
    }
  }

  private <T extends IntegrationEvent> T readTree(byte[] body, KnownType<T> type, UUID messageId) {
    if (!(mapper.readTree(body) instanceof ObjectNode tree)) {
      throw new UnreadableEventException(
          "the body does not fit %s: it is no JSON object".formatted(type.event().getName()));
    }
    if (type.upcaster() != null) {
      tree = upcast(tree, type);
    }
    tree.put(ID_FIELD, messageId.toString());
    return mapper.treeToValue(tree, type.event());
  }

  private static <T extends IntegrationEvent> ObjectNode upcast(
      ObjectNode tree, KnownType<T> type) {
    try {
      return Objects.requireNonNull(
          Objects.requireNonNull(type.upcaster()).apply(tree), "the upcaster returned null");
    } catch (RuntimeException e) {
      throw new UnreadableEventException(
          "the upcaster to %s failed with %s"
              .formatted(type.event().getName(), e.getClass().getName()),
          e);
    }
  }

  /** Which field, and what it should be. What is there instead is payload and is not shown. */
  private static String where(JacksonException e) {
    String field =
        e.getPath().stream()
            .map(it -> it.getPropertyName() == null ? "[]" : it.getPropertyName())
            .collect(Collectors.joining("."));
    if (field.isEmpty()) {
      return e instanceof StreamReadException ? ": it is not valid JSON" : "";
    }
    return e instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null
        ? " at '%s': expected %s".formatted(field, mismatch.getTargetType().getTypeName())
        : " at '%s'".formatted(field);
  }

  /** A primitive that is missing is an error, not a zero. */
  private static final class RequiredPrimitives extends JacksonAnnotationIntrospector {

    @Override
    public @Nullable Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
      return member.getRawType().isPrimitive()
          ? Boolean.TRUE
          : super.hasRequiredMarker(config, member);
    }
  }
}
