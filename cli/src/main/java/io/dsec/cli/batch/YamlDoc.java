// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Reads YAML 1.2 with places; anchors, aliases and merge keys ({@code <<}) are resolved. */
final class YamlDoc {
  private static final int MAX_CHARACTERS = 256 << 20;
  private static final int MAX_VALUES = 10_000_000;

  private final String source;
  private int values;

  private YamlDoc(String source) {
    this.source = source;
  }

  static Doc read(String source, String text) {
    LoadSettings settings =
        LoadSettings.builder()
            .setLabel(source)
            .setSchema(new CoreSchema())
            .setCodePointLimit(MAX_CHARACTERS)
            .setMaxAliasesForCollections(MAX_VALUES)
            .build();
    try {
      Optional<Node> root = new Compose(settings).composeString(text);
      YamlDoc reader = new YamlDoc(source);
      return reader.value(
          root.orElseThrow(
              () -> new BatchFileException(new Mark(source, 1, 1), "there is nothing here")));
    } catch (MarkedYamlEngineException e) {
      Mark at =
          e.getProblemMark()
              .map(m -> new Mark(source, m.getLine() + 1, m.getColumn() + 1))
              .orElse(new Mark(source, 1, 1));
      String context = e.getContext() == null ? "" : " (" + e.getContext() + ")";
      throw new BatchFileException(at, "not valid YAML: " + e.getProblem() + context);
    } catch (YamlEngineException e) {
      throw new BatchFileException(new Mark(source, 1, 1), "not valid YAML: " + e.getMessage());
    }
  }

  private Doc value(Node node) {
    if (++values > MAX_VALUES) {
      throw new BatchFileException(mark(node), "more than " + MAX_VALUES + " values");
    }
    return switch (node) {
      case MappingNode mapping -> fields(mapping);
      case SequenceNode sequence ->
          new Doc.Items(mark(node), sequence.getValue().stream().map(this::value).toList());
      case ScalarNode scalar -> new Doc.Scalar(mark(node), scalar(scalar));
      default -> throw new BatchFileException(mark(node), "an alias without its anchor");
    };
  }

  private Doc fields(MappingNode mapping) {
    Map<String, Doc.Field> own = new LinkedHashMap<>();
    Map<String, Doc.Field> merged = new LinkedHashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      Mark at = mark(tuple.getKeyNode());
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        throw new BatchFileException(at, "the name of a field must be a text");
      }
      if (key.getValue().equals("<<") && key.getScalarStyle() == ScalarStyle.PLAIN) {
        merge(tuple.getValueNode(), merged);
      } else if (own.put(key.getValue(), new Doc.Field(at, value(tuple.getValueNode()))) != null) {
        throw new BatchFileException(at, "\"%s\" stands here twice".formatted(key.getValue()));
      }
    }
    merged.forEach(own::putIfAbsent);
    return new Doc.Fields(mark(mapping), own);
  }

  private void merge(Node node, Map<String, Doc.Field> into) {
    List<Node> sources =
        node instanceof SequenceNode list ? new ArrayList<>(list.getValue()) : List.of(node);
    for (Node each : sources) {
      if (!(each instanceof MappingNode mapping)) {
        throw new BatchFileException(mark(each), "<< takes a mapping or a list of mappings");
      }
      ((Doc.Fields) fields(mapping)).fields().forEach(into::putIfAbsent);
    }
  }

  private JsonNode scalar(ScalarNode node) {
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    String text = node.getValue();
    Tag tag = node.getTag();
    if (tag.equals(Tag.INT)) {
      return nodes.numberNode(integer(text));
    }
    if (tag.equals(Tag.FLOAT)) {
      return text.matches("[-+]?[0-9.]+([eE][-+]?[0-9]+)?")
          ? nodes.numberNode(new BigDecimal(text))
          : nodes.stringNode(text);
    }
    if (tag.equals(Tag.BOOL)) {
      return nodes.booleanNode(Boolean.parseBoolean(text));
    }
    return tag.equals(Tag.NULL) ? nodes.nullNode() : nodes.stringNode(text);
  }

  private static BigInteger integer(String text) {
    if (text.startsWith("0x")) {
      return new BigInteger(text.substring(2), 16);
    }
    return text.startsWith("0o")
        ? new BigInteger(text.substring(2), 8)
        : new BigInteger(text.startsWith("+") ? text.substring(1) : text);
  }

  private Mark mark(Node node) {
    return node.getStartMark()
        .map(m -> new Mark(source, m.getLine() + 1, m.getColumn() + 1))
        .orElse(new Mark(source, 1, 1));
  }
}
