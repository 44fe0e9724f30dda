package io.inbox4j.format;

import io.inbox4j.event.IntegrationEvent;
import io.inbox4j.event.UnreadableEventException;
import io.inbox4j.internal.log.LoggedFailure;
import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.cfg.MapperBuilder;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.ValueInstantiationException;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.node.ObjectNode;

/**
 * A format for anything that Jackson has a mapper for, such as CBOR or Smile. Upcasters and the
 * body's {@code messageId} field work as in JSON.
 *
 * <pre>{@code
 * JacksonFormat.of(JacksonFormat.withDefaults(CBORMapper.builder()).build(), "application/cbor")
 * }</pre>
 */
public final class JacksonFormat implements EventFormat {

  private static final int INITIAL_SIZE = 512;

  private final ObjectMapper mapper;
  private final Set<String> contentTypes;
  private final String name;
  private final BodyId bodyId;
  private final ObjectReader trees;
  private final Map<Class<?>, ObjectReader> readers = new ConcurrentHashMap<>();

  private JacksonFormat(ObjectMapper mapper, Set<String> contentTypes) {
    this.mapper = mapper.rebuild().addModule(new FiniteNumbers()).build();
    this.trees =
        this.mapper
            .readerFor(JsonNode.class)
            .without(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES);
    this.contentTypes = contentTypes;
    this.name = mapper.tokenStreamFactory().getFormatName();
    this.bodyId = new BodyId(mapper, name);
  }

  /**
   * Reads bodies of these content types with a copy of this mapper that preserves numbers as
   * written: a decimal without a target type, such as in a {@code Map<String, Object>}, becomes a
   * {@code BigDecimal}; {@code 1e400} is rejected as a double, and {@code "NaN"} as a number.
   */
  public static JacksonFormat of(ObjectMapper mapper, String... contentTypes) {
    return new JacksonFormat(mapper, Set.of(contentTypes));
  }

  /**
   * Applies the settings that JSON is also read with: an event is read exactly, or not at all.
   *
   * <ul>
   *   <li>unknown fields are ignored, so that producers can add fields
   *   <li>a missing or null primitive is an error, not a zero
   *   <li>{@code 1.9} and {@code "7"} are not accepted as integers
   *   <li>nothing may follow the document
   * </ul>
   */
  public static <M extends ObjectMapper, B extends MapperBuilder<M, B>> B withDefaults(B builder) {
    return builder
        .annotationIntrospector(new RequiredPrimitives())
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
        .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  }

  @Override
  public Set<String> contentTypes() {
    return contentTypes;
  }

  /** The body's field {@code messageId}: a text, or the 16 bytes of a UUID. */
  @Override
  public @Nullable String messageIdIn(byte[] body) {
    return bodyId.in(body);
  }

  /**
   * Reads the event in these bytes, upcast first if its type is an old version.
   *
   * <p>If the body has no message id, or one that is not a UUID, the event gets the id under which
   * the message is stored.
   *
   * @throws UnreadableEventException if the body does not fit the class
   */
  @Override
  public <T extends IntegrationEvent> T read(byte[] body, KnownType<T> type, UUID messageId) {
    Class<? extends T> event = type.event();
    ObjectReader reader = readers.computeIfAbsent(event, mapper::readerFor);
    try {
      return type.upcaster() == null
          ? read(reader, body, event, messageId)
          : readUpcast(reader, body, type, messageId);
    } catch (JacksonException e) {
      throw unreadable("the body does not fit %s%s".formatted(event.getName(), where(e)), e);
    }
  }

  /**
   * Writes an event.
   *
   * @param messageId the id that it gets if it has none
   * @throws IllegalArgumentException if it cannot be written; the message reveals nothing of its
   *     values
   */
  byte[] write(IntegrationEvent event, UUID messageId) {
    ByteArrayOutputStream body = new ByteArrayOutputStream(INITIAL_SIZE);
    try (JsonGenerator generator = mapper.createGenerator(body)) {
      mapper.writeValue(new IdentifiedGenerator(generator, messageId), event);
    } catch (JacksonException e) {
      String why = e instanceof IdentifiedGenerator.Unreadable ? ": " + e.getOriginalMessage() : "";
      throw new IllegalArgumentException(
          "%s cannot be written as %s%s%s"
              .formatted(event.getClass().getName(), name, where(e), why),
          e.getCause());
    }
    return body.toByteArray();
  }

  private <T extends IntegrationEvent> T read(
      ObjectReader reader, byte[] body, Class<T> event, UUID messageId) {
    T read = readAsItIs(reader, body, event);
    if (read != null && read.messageId() != null) {
      return read;
    }
    try (JsonParser parser = parser(reader, body)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw notAnObject(event);
      }
      return reader.readValue(IdentifiedParser.of(messageId.toString(), parser));
    }
  }

  /**
   * Reads the event from the unmodified body; null if it cannot be read without a valid message id.
   */
  private static <T extends IntegrationEvent> @Nullable T readAsItIs(
      ObjectReader reader, byte[] body, Class<T> event) {
    try (JsonParser parser = parser(reader, body)) {
      return event.cast(reader.readValue(parser));
    } catch (ValueInstantiationException e) {
      return null; // its constructor may require an id
    } catch (DatabindException e) {
      if (e.getPath().size() == 1 && BodyId.FIELD.equals(e.getPath().get(0).getPropertyName())) {
        return null;
      }
      throw e;
    }
  }

  private static JsonParser parser(ObjectReader reader, byte[] body) {
    return new FiniteParser(reader.createParser(body));
  }

  private <T extends IntegrationEvent> T readUpcast(
      ObjectReader reader, byte[] body, KnownType<T> type, UUID messageId) {
    ObjectNode upcast = upcast(tree(body, type), type).put(BodyId.FIELD, messageId.toString());
    try (JsonParser parser = new FiniteParser(reader.treeAsTokens(upcast))) {
      return reader.readValue(parser);
    }
  }

  private ObjectNode tree(byte[] body, KnownType<?> type) {
    try (JsonParser parser = new ExactParser(trees.createParser(body))) {
      if (trees.readValue(parser) instanceof ObjectNode tree) {
        return tree;
      }
      throw notAnObject(type.event());
    }
  }

  private UnreadableEventException notAnObject(Class<?> event) {
    return new UnreadableEventException(
        "the body does not fit %s: it is no %s object".formatted(event.getName(), name));
  }

  private static <T extends IntegrationEvent> ObjectNode upcast(
      ObjectNode tree, KnownType<T> type) {
    try {
      return Objects.requireNonNull(
          Objects.requireNonNull(type.upcaster()).apply(tree), "the upcaster returned null");
    } catch (LinkageError | OutOfMemoryError e) {
      throw e; // not caused by this message
    } catch (Throwable e) {
      throw new UnreadableEventException(
          "the upcaster to %s failed with %s"
              .formatted(type.event().getName(), LoggedFailure.summary(e)),
          e);
    }
  }

  /**
   * Omits Jackson's message, because it quotes the payload; an exception of the event's own
   * constructor is kept as the cause.
   */
  private static UnreadableEventException unreadable(String message, JacksonException e) {
    return e instanceof ValueInstantiationException && e.getCause() != null
        ? new UnreadableEventException(message, e.getCause())
        : new UnreadableEventException(message);
  }

  /** The field and its expected type. The actual value is payload and not shown. */
  private String where(JacksonException e) {
    String field = e.getPath().stream().map(JacksonFormat::step).collect(Collectors.joining("."));
    if (e instanceof InputCoercionException coercion) {
      return "%s: a number is out of the range of %s"
          .formatted(
              field.isEmpty() ? "" : " at '%s'".formatted(field),
              coercion.getTargetType().getTypeName());
    }
    if (field.isEmpty()) {
      return e instanceof StreamReadException ? ": it is not valid " + name : "";
    }
    return e instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null
        ? " at '%s': expected %s".formatted(field, mismatch.getTargetType().getTypeName())
        : " at '%s'".formatted(field);
  }

  /** The name of a field; keys of a map are payload and not shown. */
  private static String step(JacksonException.Reference step) {
    return step.getPropertyName() == null || step.from() instanceof Map
        ? "[]"
        : step.getPropertyName();
  }

  /** Makes a missing primitive an error instead of a zero. */
  private static final class RequiredPrimitives extends JacksonAnnotationIntrospector {

    @Override
    public @Nullable Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
      return member.getRawType().isPrimitive()
          ? Boolean.TRUE
          : super.hasRequiredMarker(config, member);
    }
  }
}
