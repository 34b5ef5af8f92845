// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dsec.client.DsecClient;
import io.dsec.client.SandboxProcess;
import io.dsec.client.Terminal;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import io.dsec.model.TerminalSize;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Terminals over their WebSocket, against a real sandbox (case F60). */
@ExtendWith(SharedDsec.class)
class TerminalCasesTest {
  private final DsecProcess dsec;
  private final Api api;
  private final Box box;

  TerminalCasesTest(DsecProcess dsec) {
    this.dsec = dsec;
    this.api = dsec.api();
    this.box = api.create();
  }

  @AfterEach
  void remove() {
    box.close();
  }

  private WebTerminal open(String query, String... argv) {
    StringBuilder all = new StringBuilder(query);
    for (String arg : argv) {
      all.append("&argv=").append(java.net.URLEncoder.encode(arg, UTF_8));
    }
    return WebTerminal.open(dsec, box.id(), all.toString());
  }

  private String processes() {
    return "/v1/sandboxes/" + box.id() + "/processes";
  }

  private String sh(String script) {
    return box.sh(script).stdout();
  }

  @Test
  void f60_theSizeIsTheOneAskedForAndItsChangeReachesTheProgram() {
    String script = "stty size; trap 'stty size; exit 3' WINCH; echo ready; sleep 30 & wait";
    try (WebTerminal t = open("cols=132&rows=43", "sh", "-c", script)) {
      t.awaitText("ready\r\n");
      assertThat(t.text()).startsWith("43 132\r\n");
      t.resize(0, 0);
      assertThat(t.error().path("code").asString("")).isEqualTo("invalid_request");
      t.resize(100, 30);
      t.awaitText("30 100\r\n");
      assertThat(t.ending().path("code").asInt(-1)).isEqualTo(3);
      assertThat(t.closeStatus()).isEqualTo(WebSocket.NORMAL_CLOSURE);
    }
    try (WebTerminal t = open("cols=80&rows=24", "sh", "-c", script)) {
      t.awaitText("ready\r\n");
      String resize = processes() + "/" + t.id() + "/resize";
      assertThat(api.post(resize, Map.of("cols", 0, "rows", 0)).field()).isEqualTo("cols");
      assertThat(api.post(resize, Map.of("cols", 81, "rows", 25)).status()).isEqualTo(204);
      t.awaitText("25 81\r\n");
    }
  }

  @Test
  void f60_keysAndSignalsReachTheForegroundGroup() {
    try (WebTerminal t = open("cols=80&rows=24&term=xterm-mono", "bash", "--norc")) {
      t.type("sh -c 'echo o''ne $TERM $PAGER.; exec sleep 100'\n");
      t.awaitText("one xterm-mono .\r\n");
      t.type("\u0003");
      t.awaitText("^C");
      t.type("echo st=$?; sh -c 'echo t''wo; exec sleep 101'\n");
      t.awaitText("st=130\r\n");
      t.awaitText("two\r\n");
      t.type("\u001a");
      t.awaitText("Stopped");
      t.type("kill %1; sh -c 'echo th''ree; exec sleep 102'; echo st=$?.\n");
      t.awaitText("three\r\n");
      t.say(Map.of("signal", "TERM"));
      t.awaitText("st=143.\r\n");
      t.type("\u0004");
      assertThat(t.ending().path("kind").asString("")).isEqualTo("exited");
    }
  }

  @Test
  void f60_aDroppedTerminalGoesOnAndShowsItsRecentOutputAgain() {
    String id;
    String script = "seq 1 20000; echo be''fore; read a; echo got-$a; read b; exit $b";
    try (WebTerminal t = open("cols=80&rows=24", "sh", "-c", script)) {
      t.awaitText("before\r\n");
      id = t.id();
    }
    assertThat(api.get(processes()).text()).contains(id).contains("\"terminal\":true");
    try (WebTerminal t = open("id=" + id)) {
      t.awaitText("before\r\n");
      assertThat(t.size()).isLessThanOrEqualTo(64 << 10);
      t.type("x\n");
      t.awaitText("got-x\r\n");
      try (WebTerminal second = open("id=" + id)) {
        second.awaitText("got-x\r\n");
        second.type("5\n");
        assertThat(second.ending().path("code").asInt(-1)).isEqualTo(5);
        assertThat(t.ending().path("code").asInt(-1)).isEqualTo(5);
      }
    }
    try (WebTerminal after = open("id=" + id)) {
      assertThat(after.ending().path("code").asInt(-1)).isEqualTo(5);
      assertThat(after.text()).contains("got-x");
    }
  }

  @Test
  void f60_aPasteOfTenMegabytesArrivesWhole() {
    byte[] paste = lines(10 << 20);
    CRC32 sum = new CRC32();
    sum.update(paste);
    String crc =
        "import sys,zlib,os,tty; tty.setraw(0) if sys.argv[2]=='raw' else 0; print('ready');"
            + "sys.stdout.flush(); n=int(sys.argv[1]); c=0\n"
            + "while n:\n b=os.read(0,min(n,65536)); n-=len(b); c=zlib.crc32(b,c)\n"
            + "print('crc=%d.'%c)";
    for (String mode : List.of("raw", "lines")) {
      try (WebTerminal t =
          open("cols=80&rows=24", "python3", "-c", crc, Integer.toString(paste.length), mode)) {
        t.awaitText("ready");
        t.type(paste);
        assertThat(t.ending().path("code").asInt(-1)).isZero();
        assertThat(t.text()).as(mode).contains("crc=" + sum.getValue() + ".");
      }
    }
  }

  private static byte[] lines(int length) {
    byte[] line =
        "0123456789abcdefghijklmnopqrstuvwxyz 0123456789 ABCDEFGHIJKLMNO\n".getBytes(UTF_8);
    byte[] all = new byte[length];
    IntStream.range(0, length).forEach(i -> all[i] = line[i % line.length]);
    return all;
  }

  @Test
  void aReaderThatStallsStopsItsOwnProgramOnly() {
    try (WebTerminal t = open("cols=80&rows=24", "yes")) {
      t.awaitText("y\r\ny\r\n");
      t.stall();
      String show = processes() + "/" + t.id();
      long[] last = {-1};
      await()
          .atMost(30, TimeUnit.SECONDS)
          .pollInterval(Duration.ofMillis(500))
          .until(
              () -> {
                long now = api.get(show).json().path("stdout_bytes").asLong(0);
                boolean still = now == last[0];
                last[0] = now;
                return still;
              });
      assertThat(last[0]).as("a bound on what is under way").isLessThan(16 << 20);
      assertThat(sh("echo other")).isEqualTo("other\n");
      t.type("\u0003");
      t.read();
      assertThat(t.ending().path("signal").asInt(-1)).isEqualTo(2);
      assertThat(t.bytes().length).isGreaterThan(1 << 20);
      assertThat(t.told("gap")).isNull();
    }
  }

  @Test
  void pingsAmidMuchOutputAreAnsweredBetweenItsFrames() {
    String flood = "stty -opost; echo ready; read x; head -c 20000000 /dev/zero | tr '\\0' y";
    try (WebTerminal t = open("cols=80&rows=24", "sh", "-c", flood)) {
      t.awaitText("ready");
      t.ping("first");
      await().atMost(10, TimeUnit.SECONDS).until(() -> t.pongs().contains("first"));
      t.type("\n");
      for (int i = 0; i < 2_000; i++) {
        t.ping("p" + i);
      }
      assertThat(t.ending().path("code").asInt(-1)).isZero();
      assertThat(t.size()).isGreaterThan(20_000_000);
      assertThat(t.pongs()).contains("p1999");
    }
  }

  @Test
  void withoutArgvItIsALoginShellAndBytesAreBytes() {
    try (WebTerminal t = open("cols=80&rows=24&user=root&cwd=/tmp&env=GREETING=hi%20there")) {
      t.type("shopt -q login_shell && echo login $((1+1)) $(id -u) $PWD \"$GREETING\"\n");
      t.awaitText("login 2 0 /tmp hi there\r\n");
      t.type("stty -echo; printf '\\377\\000\\376.%s\\n' end-of-it\n");
      t.awaitText(".end-of-it");
      assertThat(new String(t.bytes(), java.nio.charset.StandardCharsets.ISO_8859_1))
          .contains("\u00ff\u0000\u00fe.end-of-it");
    }
  }

  @Test
  void whatIsRefusedIsAnOrdinaryError() throws IOException {
    assertThat(refused("cols=0&rows=0")).isEqualTo("400 invalid_request cols");
    assertThat(refused("cols=80&rows=5000")).isEqualTo("400 invalid_request rows");
    assertThat(refused("cols=wide")).isEqualTo("400 invalid_request cols");
    assertThat(refused("argv=no-such-program")).isEqualTo("422 program_not_found");
    assertThat(refused("cwd=/nope&argv=true")).isEqualTo("422 bad_cwd");
    assertThat(refused("id=e-999")).isEqualTo("404 not_found");
    assertThat(handshake(dsec.url() + "/v1/sandboxes/sb-nope/terminal", dsec.key()))
        .startsWith("404 not_found");
    String url = dsec.url() + "/v1/sandboxes/" + box.id() + "/terminal";
    assertThat(handshake(url, "wrong")).startsWith("401 unauthorized");
    assertThat(api.get("/v1/sandboxes/" + box.id() + "/terminal").code())
        .isEqualTo("invalid_request");
    String plain =
        api.post(processes(), Map.of("argv", List.of("sleep", "30")))
            .json()
            .path("id")
            .asString("");
    assertThat(refused("id=" + plain)).isEqualTo("409 conflict");
    assertThat(api.post(processes() + "/" + plain + "/resize", Map.of("cols", 9, "rows", 9)).code())
        .isEqualTo("conflict");
    assertThat(foreignHost()).startsWith("HTTP/1.1 403 ").contains("\"forbidden\"");
    assertThat(api.get(processes()).json().path("processes").size())
        .as("nothing was left running")
        .isEqualTo(1);
  }

  private String refused(String query) {
    return handshake(dsec.url() + "/v1/sandboxes/" + box.id() + "/terminal?" + query, dsec.key())
        .strip();
  }

  private static String handshake(String url, String key) {
    try (HttpClient http = HttpClient.newHttpClient()) {
      WebSocket _ =
          http.newWebSocketBuilder()
              .header("Authorization", "Bearer " + key)
              .buildAsync(URI.create(url.replaceFirst("^http", "ws")), new WebSocket.Listener() {})
              .join();
      return "101";
    } catch (CompletionException e) {
      if (!(e.getCause() instanceof WebSocketHandshakeException refusal)) {
        throw e;
      }
      HttpResponse<?> reply = refusal.getResponse();
      var error = io.dsec.link.Json.mapper().readTree(String.valueOf(reply.body())).path("error");
      return reply.statusCode()
          + " "
          + error.path("code").asString("")
          + " "
          + error.path("field").asString("");
    }
  }

  /** As a page would reach the loopback under a name of its own. */
  private String foreignHost() throws IOException {
    try (var socket =
        new java.net.Socket(
            java.net.InetAddress.getLoopbackAddress(), URI.create(dsec.url()).getPort())) {
      String request =
          """
          GET /v1/sandboxes/%s/terminal HTTP/1.1\r
          Host: evil.test\r
          Authorization: Bearer %s\r
          Connection: Upgrade\r
          Upgrade: websocket\r
          Sec-WebSocket-Version: 13\r
          Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
          \r
          """
              .formatted(box.id(), dsec.key());
      socket.getOutputStream().write(request.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @Test
  void aDeletedTerminalHangsUp() {
    String script =
        "trap 'echo hup > /tmp/hup; exit 1' HUP; echo ready; while :; do sleep 0.05; done";
    try (WebTerminal t = open("cols=80&rows=24", "sh", "-c", script)) {
      t.awaitText("ready\r\n");
      assertThat(api.delete(processes() + "/" + t.id()).status()).isEqualTo(204);
      await().atMost(10, TimeUnit.SECONDS).until(() -> sh("cat /tmp/hup").equals("hup\n"));
    }
    String deaf = "(trap '' HUP; sleep 999) & echo $! > /tmp/deaf; echo ready; read x";
    try (WebTerminal t = open("cols=80&rows=24", "sh", "-c", deaf)) {
      t.awaitText("ready\r\n");
      assertThat(api.delete(processes() + "/" + t.id()).status()).isEqualTo(204);
      await()
          .atMost(10, TimeUnit.SECONDS)
          .until(() -> sh("kill -0 $(cat /tmp/deaf) || echo dead").equals("dead\n"));
    }
  }

  @Test
  void theJavaClientSpeaksIt() {
    SandboxId id = new SandboxId(box.id());
    try (DsecClient client = api.client()) {
      StringBuilder shown = new StringBuilder();
      ExecSpec spec =
          ExecSpec.of(List.of("sh", "-c", "stty size; read x; stty size; exit 4"))
              .onTerminal(new TerminalSize(90, 20));
      List<String> refused = new CopyOnWriteArrayList<>();
      Terminal.Listener screen =
          new Terminal.Listener() {
            @Override
            public void output(ByteBuffer data) {
              synchronized (shown) {
                shown.append(UTF_8.decode(data));
              }
            }

            @Override
            public void refused(DsecException why) {
              refused.add(why.field().orElse(""));
            }
          };
      try (Terminal t = client.sandboxes().terminal(id, spec, screen)) {
        t.signal("NOPE");
        t.resize(new TerminalSize(91, 21));
        t.type(ByteBuffer.wrap("\n".getBytes(UTF_8)));
        SandboxProcess ended = t.await();
        assertThat(ended.ending()).isNotNull();
        assertThat(ended.terminal()).isTrue();
        assertThat(refused).containsExactly("signal");
        synchronized (shown) {
          assertThat(shown.toString()).contains("20 90").contains("21 91");
        }
      }
      assertThatThrownBy(() -> client.sandboxes().attach(id, "e-999", screen))
          .isInstanceOfSatisfying(
              DsecException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
    }
  }
}
