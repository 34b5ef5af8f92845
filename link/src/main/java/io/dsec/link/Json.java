// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.Quantity;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * The one JSON form: {@code snake_case}, unknown fields refused, enums in lower case, durations as
 * seconds (texts such as {@code "30s"} are read too), bytes as base64.
 */
public final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder(factory())
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
          .enable(tools.jackson.databind.MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
          // Records speak through their components alone: isTask() and the like are no fields.
          .changeDefaultVisibility(v -> v.withIsGetterVisibility(JsonAutoDetect.Visibility.NONE))
          .addModule(values())
          .build();

  private Json() {}

  /** Jackson's fast parser of fractions loads a hundred classes, for the few that travel here. */
  private static JsonFactory factory() {
    return JsonFactory.builder().disable(StreamReadFeature.USE_FAST_DOUBLE_PARSER).build();
  }

  public static JsonMapper mapper() {
    return MAPPER;
  }

  /** Adds the value forms of DSec to another mapper (YAML). */
  public static SimpleModule values() {
    SimpleModule module = new SimpleModule("dsec");
    module.addSerializer(Duration.class, new DurationWriter());
    module.addDeserializer(Duration.class, new DurationReader());
    module.addSerializer(Bytes.class, new BytesWriter());
    module.addDeserializer(Bytes.class, new BytesReader());
    module.addSerializer(SandboxId.class, new SandboxIdWriter());
    module.addDeserializer(SandboxId.class, new SandboxIdReader());
    module.addSerializer(Ending.class, new EndingWriter());
    module.addDeserializer(Ending.class, new EndingReader());
    return module;
  }

  public static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static final class DurationWriter extends ValueSerializer<Duration> {
    @Override
    public void serialize(Duration value, JsonGenerator out, SerializationContext context) {
      out.writeNumber(value.toNanos() / 1e9);
    }
  }

  private static final class DurationReader extends ValueDeserializer<Duration> {
    @Override
    public Duration deserialize(JsonParser in, DeserializationContext context) {
      String field = in.currentName() == null ? "duration" : in.currentName();
      return in.currentToken() == JsonToken.VALUE_STRING
          ? Quantity.duration(field, in.getString())
          : Quantity.duration(field, seconds(field, in.getDecimalValue()));
    }
  }

  /** Plain digits; a number such as 1e999999999 must not become that many of them. */
  private static String seconds(String field, BigDecimal value) {
    if (Math.abs((long) value.scale()) > 30) {
      throw DsecException.invalid(
          field, "%s is %s, which is no sensible number of seconds".formatted(field, value));
    }
    return value.toPlainString();
  }

  private static final class BytesWriter extends ValueSerializer<Bytes> {
    @Override
    public void serialize(Bytes value, JsonGenerator out, SerializationContext context) {
      out.writeString(value.base64());
    }
  }

  private static final class BytesReader extends ValueDeserializer<Bytes> {
    @Override
    public Bytes deserialize(JsonParser in, DeserializationContext context) {
      return Bytes.wrap(in.getBinaryValue());
    }
  }

  private static final class SandboxIdWriter extends ValueSerializer<SandboxId> {
    @Override
    public void serialize(SandboxId value, JsonGenerator out, SerializationContext context) {
      out.writeString(value.value());
    }
  }

  private static final class SandboxIdReader extends ValueDeserializer<SandboxId> {
    @Override
    public SandboxId deserialize(JsonParser in, DeserializationContext context) {
      return new SandboxId(in.getString());
    }
  }

  /** {@code {"kind", "code", "signal", "reason", "message", "is_fault"}}, absent parts null. */
  private static final class EndingWriter extends ValueSerializer<Ending> {
    @Override
    public void serialize(Ending value, JsonGenerator out, SerializationContext context) {
      out.writeStartObject();
      writeFields(value, out);
      out.writeEndObject();
    }
  }

  /** The fields of an ending without its braces, for objects that add their own. */
  public static void writeFields(Ending value, JsonGenerator out) {
    out.writeStringProperty("kind", value.kind());
    Integer code = value instanceof Ending.Exited(int c) ? c : null;
    Integer signal = value instanceof Ending.Signaled(int s) ? s : null;
    Reason reason =
        switch (value) {
          case Ending.Killed(Reason r) -> r;
          case Ending.Lost(Reason r) -> r;
          case Ending.NotStarted(Reason r, String _) -> r;
          default -> null;
        };
    out.writePOJOProperty("code", code);
    out.writePOJOProperty("signal", signal);
    out.writePOJOProperty("reason", reason == null ? null : lower(reason));
    if (value instanceof Ending.NotStarted(Reason _, String message)) {
      out.writeStringProperty("message", message);
    }
    out.writeBooleanProperty("is_fault", value.isFault());
  }

  private static final class EndingReader extends ValueDeserializer<Ending> {
    @Override
    public Ending deserialize(JsonParser in, DeserializationContext context) {
      JsonNode node = context.readTree(in);
      String kind = node.path("kind").asString("");
      return switch (kind) {
        case "exited" -> new Ending.Exited(node.path("code").asInt());
        case "signaled" -> new Ending.Signaled(node.path("signal").asInt());
        case "timeout" -> new Ending.Timeout();
        case "oom" -> new Ending.Oom();
        case "killed" -> new Ending.Killed(reason(node));
        case "lost" -> new Ending.Lost(reason(node));
        case "not_started" ->
            new Ending.NotStarted(reason(node), node.path("message").asString(""));
        default ->
            throw DsecException.invalid("kind", "\"%s\" is no kind of ending".formatted(kind));
      };
    }

    private static Reason reason(JsonNode node) {
      return Reason.valueOf(node.path("reason").asString("").toUpperCase(Locale.ROOT));
    }
  }
}
