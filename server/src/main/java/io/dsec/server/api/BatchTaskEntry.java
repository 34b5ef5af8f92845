// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.SandboxSpec;
import io.dsec.server.batch.Retries;
import io.dsec.server.batch.TaskOrders.TaskOrder;
import io.dsec.server.schedule.Member;
import io.dsec.server.schedule.TierChoice;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One task of a batch, checked. */
record BatchTaskEntry(String id, List<String> after, TaskOrder order, Retries retries) {

  /** {@code number} names the task in messages, and is its id when it gives none. */
  static BatchTaskEntry of(int number, JsonNode task, BatchDocument shared, List<Member> nodes) {
    if (!(task instanceof ObjectNode own)) {
      throw DsecException.invalid("tasks", "tasks[%d] is not an object".formatted(number));
    }
    String id = own.path("id").asString(Integer.toString(number));
    try {
      ObjectNode fields = own.deepCopy();
      fields.remove("id");
      List<String> after = names(fields.remove("after"));
      Retries retries =
          BatchDocument.retries("retries", fields.remove("retries"), shared.retries());
      if (fields.has("secrets")) {
        throw DsecException.notSupported("secrets", "batches take no secrets yet");
      }
      TaskRequest request = request(fields, shared);
      SandboxSpec spec = request.spec();
      return new BatchTaskEntry(
          id,
          after,
          new TaskOrder(
              spec, TierChoice.resolve(spec.isolation(), request.sandbox().traitSet(), nodes)),
          retries);
    } catch (DsecException e) {
      throw named(e, number, id);
    }
  }

  /** Most tasks differ in their command alone: then the sandbox part is read once for all. */
  private static TaskRequest request(ObjectNode own, BatchDocument shared) {
    boolean plain = TaskRequest.OF_THE_COMMAND.containsAll(own.propertyNames());
    ObjectNode merged = plain ? shared.command().deepCopy() : shared.base().deepCopy();
    if (own.has("shell")) {
      merged.remove("command");
    } else if (own.has("command")) {
      merged.remove("shell");
    }
    Merge.into(merged, own);
    return plain
        ? new TaskRequest(shared.sandbox(), Bodies.convert(merged, CommandRequest.class, ""))
        : TaskRequest.read(merged);
  }

  private static DsecException named(DsecException e, int number, String id) {
    DsecException named =
        DsecException.of(e.code(), "task \"%s\": %s".formatted(id, e.message()))
            .withField("tasks[%d]%s".formatted(number, e.field().map(f -> "." + f).orElse("")));
    return e.hint().map(named::withHint).orElse(named);
  }

  private static List<String> names(@org.jspecify.annotations.Nullable JsonNode after) {
    List<String> names = new ArrayList<>();
    if (after != null && !after.isNull()) {
      if (!after.isArray()) {
        throw DsecException.invalid("after", "after is an array of task ids");
      }
      for (JsonNode name : after) {
        names.add(name.asString(""));
      }
    }
    return names;
  }
}
