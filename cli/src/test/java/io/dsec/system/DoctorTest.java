// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A host that lacks something is told so in a line, by doctor and by up, never by a stack trace.
 */
class DoctorTest {
  @TempDir Path temp;

  private record Said(int code, String text) {}

  @BeforeEach
  void root() {
    Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "SKIPPED: needs root");
  }

  @Test
  void thisHostCanRunContainers() throws Exception {
    Said said = run(List.of(), "doctor");
    assertThat(said.code).as(said.text).isZero();
    assertThat(said.text)
        .containsIgnoringCase("overlay")
        .containsIgnoringCase("cgroup")
        .containsIgnoringCase("disk");
  }

  @Test
  void withoutRightsDoctorNamesWhatIsMissing() throws Exception {
    Said said = run(withoutRights(), "doctor");
    assertThat(said.code).as(said.text).isEqualTo(1);
    assertThat(said.text).containsIgnoringCase("root").doesNotContain("\tat ", "Exception");
  }

  @Test
  void withoutRightsUpStopsWithOneClearMessage() throws Exception {
    Said said =
        run(
            withoutRights(),
            "up",
            "--data",
            temp.resolve("d").toString(),
            "--listen",
            "127.0.0.1:0");
    assertThat(said.code).as(said.text).isNotZero();
    assertThat(said.text).containsIgnoringCase("root").doesNotContain("\tat ");
  }

  /** A user namespace without a mapping: every capability on the host is gone. */
  private static List<String> withoutRights() {
    return List.of("unshare", "--user");
  }

  private Said run(List<String> prefix, String... args) throws Exception {
    ProcessBuilder builder = DsecProcess.command(temp, List.of(), args);
    List<String> line = new ArrayList<>(prefix);
    line.addAll(builder.command());
    Process process = builder.command(line).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return new Said(process.exitValue(), text);
  }
}
