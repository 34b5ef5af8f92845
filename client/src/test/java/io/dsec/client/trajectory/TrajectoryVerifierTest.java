// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

final class TrajectoryVerifierTest {
  private static Verification verify(List<String> lines) {
    return new TrajectoryVerifier().verify(lines.iterator());
  }

  /** What is found when one line of the sample is changed. */
  private static List<String> found(int line, UnaryOperator<String> change) {
    List<String> lines = new ArrayList<>(Sample.lines());
    String changed = change.apply(lines.get(line - 1));
    assertThat(changed).isNotEqualTo(lines.get(line - 1));
    lines.set(line - 1, changed);
    return verify(lines).problems().stream().map(Verification.Problem::toString).toList();
  }

  @Test
  void theSampleIsSound() {
    Verification found = verify(Sample.lines());
    assertThat(found.problems()).isEmpty();
    assertThat(found.isSound()).isTrue();
    assertThat(found.events()).isEqualTo(15);
    assertThat(found.gaps()).isEqualTo(1);
  }

  @Test
  void aTornLineIsNamed() {
    assertThat(found(5, line -> line.substring(0, 60)))
        .first()
        .asString()
        .startsWith("line 5: not JSON");
  }

  @Test
  void aHoleInTheNumbersIsNamed() {
    assertThat(found(15, line -> line.replace("\"seq\":15", "\"seq\":16")))
        .containsExactly("line 15: seq is 16 after 14");
  }

  @Test
  void timeThatGoesBackIsNamed() {
    assertThat(found(9, line -> line.replace("\"t\":900000000", "\"t\":1")))
        .containsExactly("line 9: t goes back from 800000000 to 1");
  }

  @Test
  void anotherSandboxIsNamed() {
    assertThat(found(2, line -> line.replace("aaaa\"", "aaab\"")))
        .containsExactly(
            "line 2: sandbox is sb-aaaaaaaaaaaaaaab in a trajectory of sb-aaaaaaaaaaaaaaaa");
  }

  @Test
  void missingBytesAreNamed() {
    assertThat(found(6, line -> line.replace("\"offset\":6", "\"offset\":7")))
        .containsExactly("line 6: exec.stdout of exec e-1 goes on at byte 7 after byte 6");
    assertThat(found(12, line -> line.replace("\"bytes\":4", "\"bytes\":5")))
        .containsExactly("line 12: exec.stderr says 5 bytes and has 4");
  }

  @Test
  void anExecThatNeverEndsIsNamed() {
    assertThat(found(13, line -> line.replace("e-2", "e-3")))
        .containsExactly(
            "line 13: exec e-3 ends but is not running", "line 15: exec e-2 never ended");
  }

  @Test
  void anExecThatStartsTwiceIsNamed() {
    assertThat(found(10, line -> line.replace("e-2", "e-1")))
        .contains("line 10: exec e-1 starts a second time");
  }

  @Test
  void aTrajectoryThatGoesOnIsSound() {
    assertThat(verify(Sample.lines().subList(0, 12)).isSound()).isTrue();
  }
}
