// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code dsec exec -it}, on a real terminal, into a real sandbox. */
@ExtendWith(SharedDsec.class)
class TerminalCommandTest {
  @TempDir Path home;
  private final DsecProcess dsec;
  private final Box box;

  TerminalCommandTest(DsecProcess dsec) {
    this.dsec = dsec;
    this.box = dsec.api().create();
  }

  @BeforeEach
  void files() {
    assertThat(box.sh("mkdir /tmp/t; command -v vi").stdout()).isNotEmpty();
  }

  @AfterEach
  void remove() {
    box.close();
  }

  private LocalTerminal exec(String... argv) {
    String[] line = new String[argv.length + 4];
    line[0] = "exec";
    line[1] = "-it";
    line[2] = box.id();
    line[3] = "--";
    System.arraycopy(argv, 0, line, 4, argv.length);
    return LocalTerminal.run(home, dsec, line);
  }

  private void awaitInside(String script, String stdout) {
    await().atMost(20, TimeUnit.SECONDS).until(() -> box.sh(script).stdout().equals(stdout));
  }

  @Test
  void bashIsUsedAsOverARemoteLogin() {
    try (LocalTerminal t = exec("bash", "--norc")) {
      t.type("PS1='% '; stty size; echo $TERM-on\n");
      t.awaitText("30 90\r\nxterm-on\r\n");
      t.resize(101, 31);
      t.type("until [ \"$(stty size)\" = '31 101' ]; do sleep 0.05; done; echo res''ized\n");
      t.awaitText("resized\r\n");
      t.type("sh -c 'echo o''ne; exec sleep 100'\n");
      t.awaitText("one\r\n");
      t.type("\u0003");
      t.type("echo st=$?; sh -c 'echo t''wo; exec sleep 101'\n");
      t.awaitText("st=130\r\n");
      t.awaitText("two\r\n");
      t.type("\u001a");
      t.awaitText("Stopped");
      t.type("jobs -p > /tmp/t/jobs; kill -9 %1; stty raw -echo; read -rn1 x; stty sane\n");
      awaitInside("test -s /tmp/t/jobs && echo yes", "yes\n");
      t.type("x");
      t.type("(exit 7)\n");
      t.type("\u0004");
      assertThat(t.exit()).isEqualTo(7);
    }
  }

  @Test
  void anEditorAndTopWork() {
    try (LocalTerminal t = exec("vi", "/tmp/t/edited")) {
      t.awaitText("/tmp/t/edited");
      t.type("ione\rtwo\u001b");
      t.type("kA and a half\u001b:wq\r");
      assertThat(t.exit()).isZero();
    }
    assertThat(box.sh("cat /tmp/t/edited").stdout()).isEqualTo("one and a half\ntwo\n");
    try (LocalTerminal t = exec("top")) {
      t.awaitText("load average");
      t.type("q");
      assertThat(t.exit()).isZero();
    }
  }

  @Test
  void aPasteOfTenMegabytesArrivesWhole() {
    byte[] line =
        "0123456789 abcdefghijklmnopqrstuvwxyz 0123456789 ABCDEFGHIJKLM\n".getBytes(UTF_8);
    byte[] paste = new byte[10 << 20];
    for (int i = 0; i < paste.length; i++) {
      paste[i] = line[i % line.length];
    }
    try (LocalTerminal t = exec("sh", "-c", "stty -echo; echo ready; exec cat > /tmp/t/paste")) {
      t.awaitText("ready\r\n");
      t.type(paste);
      t.type("\n\u0004"); // the last line was cut
      assertThat(t.exit()).isZero();
    }
    String seen =
        box.sh(
                """
                sort -u /tmp/t/paste | wc -l | tr -d '\\n'; printf ' lines of '
                stat -c %s /tmp/t/paste | tr -d '\\n'; echo ' bytes'
                """)
            .stdout();
    assertThat(seen).isEqualTo("2 lines of %d bytes\n".formatted(paste.length + 1));
  }

  @Test
  void whatHasNoTerminalAnyMoreIsEnded() {
    LocalTerminal t =
        exec("sh", "-c", "trap 'echo > /tmp/t/hup; exit' HUP; echo up; sleep 99 & wait");
    t.awaitText("up\r\n");
    t.close();
    assertThat(t.exit()).isEqualTo(98);
    awaitInside("test -f /tmp/t/hup && echo yes", "yes\n");
  }
}
