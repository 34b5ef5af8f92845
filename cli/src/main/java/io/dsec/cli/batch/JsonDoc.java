// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import io.dsec.link.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.node.JsonNodeFactory;

/** Reads JSON with places. */
final class JsonDoc {
  private final String source;
  private final int firstLine;
  private final JsonParser in;

  private JsonDoc(String source, int firstLine, JsonParser in) {
    this.source = source;
    this.firstLine = firstLine;
    this.in = in;
  }

  /**
   * @param firstLine number of the text's first line in its source
   */
  static Doc read(String source, int firstLine, String text) {
    try (JsonParser in = Json.mapper().createParser(text)) {
      JsonDoc reader = new JsonDoc(source, firstLine, in);
      if (in.nextToken() == null) {
        throw new BatchFileException(new Mark(source, firstLine, 1), "there is nothing here");
      }
      Doc doc = reader.value();
      if (in.nextToken() != null) {
        throw new BatchFileException(
            reader.mark(in.currentTokenLocation()), "more follows after the end of the value");
      }
      return doc;
    } catch (JacksonException e) {
      TokenStreamLocation at = e.getLocation();
      throw new BatchFileException(
          at == null
              ? new Mark(source, firstLine, 1)
              : new Mark(source, firstLine + at.getLineNr() - 1, at.getColumnNr()),
          "not valid JSON: " + e.getOriginalMessage());
    }
  }

  private Doc value() {
    Mark at = mark(in.currentTokenLocation());
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    return switch (in.currentToken()) {
      case START_OBJECT -> fields(at);
      case START_ARRAY -> items(at);
      case VALUE_STRING -> new Doc.Scalar(at, nodes.stringNode(in.getString()));
      case VALUE_NUMBER_INT -> new Doc.Scalar(at, nodes.numberNode(in.getBigIntegerValue()));
      case VALUE_NUMBER_FLOAT -> new Doc.Scalar(at, nodes.numberNode(in.getDecimalValue()));
      case VALUE_TRUE, VALUE_FALSE -> new Doc.Scalar(at, nodes.booleanNode(in.getBooleanValue()));
      default -> new Doc.Scalar(at, nodes.nullNode());
    };
  }

  private Doc fields(Mark at) {
    Map<String, Doc.Field> fields = new LinkedHashMap<>();
    while (in.nextToken() != JsonToken.END_OBJECT) {
      String name = in.currentName();
      Mark place = mark(in.currentTokenLocation());
      in.nextToken();
      if (fields.put(name, new Doc.Field(place, value())) != null) {
        throw new BatchFileException(place, "\"%s\" stands here twice".formatted(name));
      }
    }
    return new Doc.Fields(at, fields);
  }

  private Doc items(Mark at) {
    List<Doc> items = new ArrayList<>();
    while (in.nextToken() != JsonToken.END_ARRAY) {
      items.add(value());
    }
    return new Doc.Items(at, items);
  }

  private Mark mark(TokenStreamLocation at) {
    return new Mark(source, firstLine + at.getLineNr() - 1, at.getColumnNr());
  }
}
