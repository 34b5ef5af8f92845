// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.dsec.link.Json;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The served OpenAPI document, and calls that are held to it. Requests are checked as it says;
 * replies more strictly: nothing that is not described, and everything that may not be null.
 */
final class Contract {
  private static final String DOCUMENT = "https://dsec.test/openapi";
  private static final String JSON = "application/json";
  private static final String LINES = "application/x-ndjson";

  private final DsecProcess dsec;
  private final HttpClient http;
  private final JsonNode document;
  private final SchemaRegistry requests;
  private final SchemaRegistry replies;
  private final Set<String> called = new TreeSet<>();
  private final List<String> drift = new ArrayList<>();

  Contract(DsecProcess dsec, HttpClient http) {
    this.dsec = dsec;
    this.http = http;
    document = dsec.api().get("/openapi.json").json();
    requests = registry(document);
    JsonNode strict = document.deepCopy();
    strict(strict);
    replies = registry(strict);
  }

  private static SchemaRegistry registry(JsonNode document) {
    return SchemaRegistry.withDefaultDialect(
        SpecificationVersion.DRAFT_2020_12, b -> b.schemas(Map.of(DOCUMENT, document.toString())));
  }

  private static void strict(JsonNode node) {
    for (JsonNode child : node) {
      strict(child);
    }
    if (node instanceof ObjectNode schema && schema.get("properties") instanceof ObjectNode all) {
      if (!schema.has("additionalProperties")) {
        schema.put("additionalProperties", false);
      }
      if (!schema.has("required")) {
        ArrayNode required = schema.putArray("required");
        all.properties().stream()
            .filter(p -> !p.getValue().toString().contains("\"null\""))
            .forEach(p -> required.add(p.getKey()));
      }
    }
  }

  /** All that are described, each as {@code METHOD /path}. */
  Set<String> operations() {
    Set<String> all = new TreeSet<>();
    document
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .propertyNames()
                    .forEach(m -> all.add(m.toUpperCase(Locale.ROOT) + " " + path.getKey())));
    return all;
  }

  Set<String> called() {
    return called;
  }

  /** Where a request or a reply was not as described. */
  List<String> drift() {
    return drift;
  }

  private void hold(boolean holds, Supplier<String> otherwise) {
    if (!holds) {
      drift.add(otherwise.get());
    }
  }

  /** One call: what fills the path's braces, the query, the body, and what it accepts. */
  record Call(
      Map<String, String> path, String query, @Nullable Object body, @Nullable String accept) {
    static final Call PLAIN = new Call(Map.of(), "", null, null);

    Call with(String name, String value) {
      Map<String, String> more = new TreeMap<>(path);
      more.put(name, value);
      return new Call(more, query, body, accept);
    }

    Call query(String text) {
      return new Call(path, "?" + text, body, accept);
    }

    /** JSON, or raw bytes. */
    Call body(Object value) {
      return new Call(path, query, value, accept);
    }

    Call accept(String type) {
      return new Call(path, query, body, type);
    }
  }

  /** Makes the call and holds both directions to the document. */
  JsonNode call(String operation, int status, Call call) throws Exception {
    String method = operation.substring(0, operation.indexOf(' '));
    String template = operation.substring(method.length() + 1);
    JsonNode described =
        document.path("paths").path(template).path(method.toLowerCase(Locale.ROOT));
    assertThat(described.isObject()).as("%s is described", operation).isTrue();
    called.add(operation);

    String path = template;
    for (Map.Entry<String, String> each : call.path.entrySet()) {
      path = path.replace("{" + each.getKey() + "}", each.getValue());
    }
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(dsec.url() + path + call.query))
            .timeout(Duration.ofMinutes(2))
            .header("Authorization", "Bearer " + dsec.key())
            .method(method, publisher(operation, call.body));
    if (call.accept != null) {
      request.header("Accept", call.accept);
    }
    if (!(call.body instanceof byte[])) {
      request.header("Content-Type", JSON);
    }
    HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
    String told = operation + " -> " + response.statusCode() + " " + response.body();
    assertThat(response.statusCode()).as(told).isEqualTo(status);
    String key = described.path("responses").has("" + status) ? "" + status : "default";
    boolean error = key.equals("default");
    hold(error == status >= 400, () -> operation + " does not describe " + status);
    JsonNode content =
        error
            ? document.at("/components/responses/Error/content")
            : described.path("responses").path(key).path("content");
    String at =
        error ? "/components/responses/Error" : pointer(template, method) + "/responses/" + key;
    return checked(told, content, at, response);
  }

  private BodyPublisher publisher(String operation, @Nullable Object body) {
    if (body == null) {
      return BodyPublishers.noBody();
    }
    if (body instanceof byte[] raw) {
      return BodyPublishers.ofByteArray(raw);
    }
    String method = operation.substring(0, operation.indexOf(' '));
    String at = pointer(operation.substring(method.length() + 1), method) + "/requestBody";
    JsonNode json = Json.mapper().valueToTree(body);
    List<Error> errors = errors(requests, at + "/content/application~1json/schema", json);
    hold(errors.isEmpty(), () -> "request of %s: %s %s".formatted(operation, json, errors));
    return BodyPublishers.ofString(json.toString());
  }

  private JsonNode checked(
      String told, JsonNode content, String at, HttpResponse<String> response) {
    if (content.isMissingNode()) {
      hold(response.body().isEmpty(), () -> told + " has no body in the description");
      return content;
    }
    String type = response.headers().firstValue("Content-Type").orElse("").split(";", 2)[0];
    if (!content.has(type)) {
      drift.add("%s is of the type %s, described are %s".formatted(told, type, content));
      return content;
    }
    String schema = at + "/content/" + type.replace("/", "~1") + "/schema";
    JsonNode last = content;
    if (type.equals(JSON)) {
      last = Json.mapper().readTree(response.body());
      List<Error> errors = errors(replies, schema, last);
      hold(errors.isEmpty(), () -> told + " " + errors);
    } else if (type.equals(LINES)) {
      for (String line : response.body().lines().toList()) {
        last = Json.mapper().readTree(line);
        List<Error> errors = errors(replies, schema, last);
        hold(errors.isEmpty(), () -> at + ": " + line + " " + errors);
      }
    }
    return last;
  }

  private static String pointer(String template, String method) {
    return "/paths/" + template.replace("/", "~1") + "/" + method.toLowerCase(Locale.ROOT);
  }

  private static List<Error> errors(SchemaRegistry registry, String pointer, JsonNode json) {
    String fragment = pointer.replace("{", "%7B").replace("}", "%7D");
    return registry.getSchema(SchemaLocation.of(DOCUMENT + "#" + fragment)).validate(json);
  }
}
