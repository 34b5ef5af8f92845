// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Words in, requests and exit codes out. */
class CommandsTest {
  private static final String ID = "sb-aaaaaaaaaaaaaaaa";
  private static final String EXEC = "POST /v1/sandboxes/" + ID + "/exec";
  private static final String SANDBOX =
      """
      {"id": "sb-aaaaaaaaaaaaaaaa", "state": "running", "reason": null, "tenant": "default",
       "node": "n1", "tier": "container", "image": "host", "labels": {"b": "2", "a": "1"},
       "created_at": "2020-01-01T00:00:00Z", "expires_at": "2020-01-01T00:30:00Z"}
      """;

  private Bench bench;

  @BeforeEach
  void start() throws Exception {
    bench = new Bench();
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "sandbox",
        "sandbox lss",
        "sandbox ls --lable a=b",
        "run host",
        "exec sb-aaaaaaaaaaaaaaaa",
        "sandbox create host --memory lots",
        "sandbox renew sb-aaaaaaaaaaaaaaaa",
        "sandbox rm",
        "batch run",
        "up --listen nowhere",
        "trajectory export sb-aaaaaaaaaaaaaaaa --format vhs"
      })
  void wrongUsageIsTwo(String line) {
    assertThat(bench.run(line.isEmpty() ? new String[0] : line.split(" ", -1))).isEqualTo(2);
    assertThat(bench.err()).startsWith("dsec: ").doesNotContain("\tat ");
    assertThat(bench.asked()).isEmpty();
  }

  @Test
  void withoutAServerAListingIsThreeAndAProgramIsADsecFailure() {
    bench.env("DSEC_URL", "http://127.0.0.1:1");
    assertThat(bench.run("sandbox", "ls")).isEqualTo(3);
    assertThat(bench.err()).contains("no server at http://127.0.0.1:1", "dsec up");
    assertThat(bench.run("exec", ID, "--", "true")).isEqualTo(125);
  }

  @ParameterizedTest
  @ValueSource(strings = {"server --config x", "node --config x", "node drain n1", "top"})
  void whatIsNotThereYetSaysSo(String line) {
    assertThat(bench.run(line.split(" ", -1))).isEqualTo(1);
    assertThat(bench.err()).contains("not in this release yet");
  }

  @Test
  void everyCommandHasHelp() {
    for (String line :
        new String[] {"--help", "run --help", "sandbox create --help", "batch run --help"}) {
      assertThat(bench.run(line.split(" ", -1))).isZero();
      assertThat(bench.out()).startsWith("Usage: dsec").contains("--debug");
    }
  }

  @Test
  void shellsLearnTheCommandsFromUs() throws Exception {
    assertThat(bench.run("completion")).isZero();
    Process bash = new ProcessBuilder("bash").redirectErrorStream(true).start();
    try (var in = bash.outputWriter()) {
      in.write(bench.out());
      in.write("\nCOMP_WORDS=(dsec sandbox r); COMP_CWORD=2; _complete_dsec\n");
      in.write("printf '%s\\n' \"${COMPREPLY[@]}\"\n");
    }
    String words = new String(bash.getInputStream().readAllBytes(), UTF_8);
    assertThat(words.lines()).contains("renew", "rm");
  }

  @Test
  void keysAreIssuedListedAndRevoked() {
    bench.reply("POST /v1/keys", 201, "{\"id\": \"k-1\", \"key\": \"dsec_secret\"}");
    assertThat(bench.run("key", "create", "--tenant", "t", "--expires-in", "1h")).isZero();
    assertThat(bench.out()).isEqualTo("dsec_secret\n");
    bench.reply(
        "GET /v1/keys",
        200,
        """
        {"keys": [{"id": "k-1", "tenant": "t", "role": "user", "created_at": "2026-01-01T00:00:00Z",
         "expires_at": null}], "next_cursor": null}""");
    assertThat(bench.run("key", "ls")).isZero();
    assertThat(bench.out()).contains("k-1  t       user");
    bench.reply("DELETE /v1/keys/k-1", 204, "");
    assertThat(bench.run("key", "rm", "k-1")).isZero();
  }

  @Test
  void batchesAreLookedUpAndCancelled() {
    String batch =
        """
        {"id": "b-1", "name": "n", "state": "running", "total": 3, "states": {"ended": 2},
         "endings": {"exited": 2}, "created_at": "2026-01-01T00:00:00Z", "ended_at": null}""";
    bench.reply("GET /v1/batches", 200, "{\"batches\": [" + batch + "], \"next_cursor\": null}");
    assertThat(bench.run("batch", "ls")).isZero();
    assertThat(bench.out().lines().map(line -> line.replaceAll(" +", " ")))
        .element(1)
        .asString()
        .startsWith("b-1 n running 3 2 ");
    bench.reply("GET /v1/batches/b-1", 200, batch);
    assertThat(bench.run("batch", "show", "b-1")).isZero();
    assertThat(bench.out()).contains("endings.exited");
    bench.reply("DELETE /v1/batches/b-1", 202, batch);
    assertThat(bench.run("batch", "cancel", "b-1")).isZero();
    assertThat(bench.out()).isEqualTo("running: 2 ended\n");
  }

  @Test
  void aListingIsATableOrJson() {
    bench.reply(
        "GET /v1/sandboxes", 200, "{\"sandboxes\": [" + SANDBOX + "], \"next_cursor\": null}");
    assertThat(bench.run("sandbox", "ls", "--label", "a=1", "--state", "running")).isZero();
    assertThat(bench.out().lines().map(line -> line.replaceAll(" +", " ")))
        .element(0)
        .isEqualTo("ID STATE REASON IMAGE TIER NODE AGE ENDS IN LABELS");
    assertThat(bench.out())
        .contains(ID + "  running  -       host   container  n1")
        .contains("a=1,b=2");
    assertThat(bench.asked().getFirst())
        .isEqualTo("GET /v1/sandboxes?label=a%3D1&state=running&limit=500");
    assertThat(bench.run("sandbox", "ls", "-o", "json")).isZero();
    assertThat(bench.out()).startsWith("{").contains("\"sandboxes\" : [").contains("\"tenant\"");
  }

  @Test
  void whatIsGoneIsListedOnlyWhenAskedFor() {
    bench.reply(
        "GET /v1/sandboxes",
        200,
        "{\"sandboxes\": [" + SANDBOX.replace("running", "gone") + "], \"next_cursor\": null}");
    assertThat(bench.run("sandbox", "ls")).isZero();
    assertThat(bench.out()).startsWith("ID ").doesNotContain(ID);
    bench.run("sandbox", "ls", "-o", "json");
    assertThat(bench.out()).doesNotContain(ID);
    for (String option : new String[] {"--all", "--state=gone"}) {
      bench.run("sandbox", "ls", option);
      assertThat(bench.out()).contains(ID);
    }
  }

  @Test
  void doctorTellsOfThisMachine() {
    int code = bench.run("doctor");
    assertThat(bench.out()).contains("CHECK", "kernel", code == 0 ? "can run" : "cannot run");
    assertThat(bench.run("doctor", "-o", "json")).isEqualTo(code);
    assertThat(bench.out()).contains("\"able\" : " + (code == 0));
  }

  @Test
  void createSendsWhatWasAskedForAndPrintsTheId() {
    bench.reply("POST /v1/sandboxes", 201, SANDBOX).env("TOKEN", "s3cret");
    assertThat(
            bench.run(
                "sandbox",
                "create",
                "host",
                "--memory",
                "64Mi",
                "--cpu",
                "0.5",
                "-e",
                "A=b=c",
                "--secret",
                "TOKEN",
                "--ttl",
                "1m",
                "--isolation",
                "container",
                "--no-record"))
        .isZero();
    assertThat(bench.out()).isEqualTo(ID + "\n");
    assertThat(bench.asked().getFirst())
        .isEqualTo(
            "POST /v1/sandboxes {\"image\":\"host\",\"isolation\":\"container\",\"resources\":"
                + "{\"cpu\":0.5,\"memory\":67108864},\"env\":{\"A\":\"b=c\"},\"secrets\":"
                + "{\"TOKEN\":\"s3cret\"},\"ttl\":60.0,\"record\":{\"mode\":\"off\"}}");
  }

  @Test
  void execPassesBytesOnAndReturnsTheProgramsCode() {
    bench.reply(
        EXEC,
        200,
        stream(
            record(2, 0, new byte[] {0, (byte) 0xff, '\n'}),
            record(2, 1, "err".getBytes(UTF_8)),
            end("{\"kind\":\"exited\",\"code\":7,\"is_fault\":false,\"limits_hit\":[]}")));
    bench.stdin("hello");
    assertThat(bench.run("exec", "-i", ID, "--", "prog", "-x", "--help")).isEqualTo(7);
    assertThat(bench.outBytes()).containsExactly(0, 0xff, '\n');
    assertThat(bench.err()).isEqualTo("err");
    assertThat(bench.asked().getFirst())
        .isEqualTo(EXEC + " {\"argv\":[\"prog\",\"-x\",\"--help\"],\"stdin_base64\":\"aGVsbG8=\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"kind":"signaled","signal":11,"is_fault":false} | 139 | signaled 11 (SEGV)
          {"kind":"timeout","is_fault":false} | 124 | timeout
          {"kind":"oom","is_fault":false} | 137 | oom
          {"kind":"lost","reason":"node_lost","is_fault":true} | 125 | lost node_lost
          {"kind":"killed","reason":"cancelled","is_fault":false} | 137 | killed cancelled
          {"kind":"exited","code":124,"is_fault":false,"limits_hit":["pids","disk"]} | 124 | limits hit: disk, pids
          """)
  void anEndingThatIsNoPlainExitIsSaid(String ending, int code, String words) {
    bench.reply(EXEC, 200, stream(end(ending)));
    assertThat(bench.run("exec", ID, "--", "x")).isEqualTo(code);
    assertThat(bench.err()).startsWith("dsec: ").contains(words);
  }

  @ParameterizedTest
  @CsvSource({
    "program_not_found, 422, 127",
    "not_executable, 422, 126",
    "bad_cwd, 422, 125",
    "gone, 410, 125"
  })
  void aProgramThatCannotStartHasAShellsCode(String error, int status, int code) {
    bench.reply(EXEC, status, "{\"error\": {\"code\": \"" + error + "\", \"message\": \"no x\"}}");
    assertThat(bench.run("exec", ID, "--", "x")).isEqualTo(code);
    assertThat(bench.err()).isEqualTo("dsec: no x\n");
  }

  @Test
  void runRemovesItsSandboxWhateverHappens() {
    bench.reply("POST /v1/sandboxes", 202, SANDBOX.replace("running", "queued"));
    bench.reply("GET /v1/sandboxes/" + ID, 200, SANDBOX);
    bench.reply("DELETE /v1/sandboxes/" + ID, 204, "");
    bench.reply(EXEC, 422, "{\"error\": {\"code\": \"bad_user\", \"message\": \"no user\"}}");
    assertThat(bench.run("run", "-u", "x", "host", "--", "id")).isEqualTo(125);
    assertThat(bench.asked()).last().isEqualTo("DELETE /v1/sandboxes/" + ID);
  }

  @Test
  void aWrongIdOnTheServersSideIsAFailureWithItsMessage() {
    assertThat(bench.run("sandbox", "show", ID)).isEqualTo(1);
    assertThat(bench.err()).isEqualTo("dsec: nothing here\n");
    assertThat(bench.run("sandbox", "show", "box-1")).isEqualTo(2);
  }

  /** The binary form of an exec's reply: a start, then {@code records}. */
  private static byte[] stream(byte[]... records) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(record(1, 0, "{\"id\":\"e-1\"}".getBytes(UTF_8)));
    List.of(records).forEach(all::writeBytes);
    return all.toByteArray();
  }

  private static byte[] record(int kind, int stream, byte[] body) {
    return ByteBuffer.allocate(16 + body.length)
        .put((byte) kind)
        .put((byte) stream)
        .putShort((short) 0)
        .putInt(body.length)
        .putLong(0)
        .put(body)
        .array();
  }

  private static byte[] end(String ending) {
    return record(
        4,
        0,
        "{\"id\":\"e-1\",\"ending\":%s,\"duration_seconds\":1}".formatted(ending).getBytes(UTF_8));
  }
}
