// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/** Reads JSON of requests; every fault names the field, or the line and column. */
final class Bodies {
  /** Reads one value out of a longer text. */
  static final ObjectReader ONE =
      Json.mapper().reader().without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private Bodies() {}

  static JsonNode tree(byte[] body) {
    if (body.length == 0) {
      throw DsecException.of(ErrorCode.INVALID_REQUEST, "the body is empty; send a JSON object");
    }
    try (JsonParser in = Json.mapper().createParser(body)) {
      JsonNode tree = ONE.readTree(in);
      if (!tree.isObject()) {
        throw DsecException.of(ErrorCode.INVALID_REQUEST, "the body is not a JSON object");
      }
      if (in.nextToken() != null) {
        throw DsecException.of(
            ErrorCode.INVALID_REQUEST, "the body goes on after the end of its JSON object");
      }
      return tree;
    } catch (JacksonException e) {
      throw fault(e, "");
    }
  }

  static <T> T read(byte[] body, Class<T> type) {
    return convert(tree(body), type, "");
  }

  /** The tree as a record; {@code within} is the name of the field that held it, or empty. */
  static <T> T convert(JsonNode tree, Class<T> type, String within) {
    try {
      return Json.mapper().treeToValue(tree, type);
    } catch (JacksonException e) {
      throw fault(e, within);
    }
  }

  static DsecException fault(JacksonException e, String within) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof DsecException own) {
        return own;
      }
    }
    String field = field(e, within);
    return switch (e) {
      case UnrecognizedPropertyException _ ->
          DsecException.invalid(field, "%s is no field of this request".formatted(field));
      case MismatchedInputException m ->
          DsecException.invalid(
              field, "%s has a wrong value: %s".formatted(field, m.getOriginalMessage()));
      case InputCoercionException c ->
          DsecException.invalid(
              field, "%s has a wrong value: %s".formatted(field, c.getOriginalMessage()));
      case StreamReadException s ->
          DsecException.of(ErrorCode.INVALID_REQUEST, "the body is no JSON: " + at(s));
      case DatabindException d ->
          DsecException.invalid(
              field, "%s has a wrong value: %s".formatted(field, d.getOriginalMessage()));
      default -> DsecException.of(ErrorCode.INVALID_REQUEST, "the body cannot be read: " + at(e));
    };
  }

  private static String field(JacksonException e, String within) {
    StringBuilder path = new StringBuilder(within);
    List<JacksonException.Reference> references = e.getPath();
    for (JacksonException.Reference step : references) {
      if (step.getPropertyName() == null) {
        path.append('[').append(step.getIndex()).append(']');
      } else {
        path.append(path.isEmpty() ? "" : ".").append(step.getPropertyName());
      }
    }
    return path.isEmpty() ? "body" : path.toString();
  }

  private static String at(JacksonException e) {
    TokenStreamLocation place = e.getLocation();
    return place == null
        ? e.getOriginalMessage()
        : "%s at line %d, column %d"
            .formatted(e.getOriginalMessage(), place.getLineNr(), place.getColumnNr());
  }
}
