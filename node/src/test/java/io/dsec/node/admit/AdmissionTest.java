// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.admit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Guarantee;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  private double used = 0.1;
  private long nanos;
  private final DiskGate disk = new DiskGate(0.92, () -> used, () -> nanos);
  private final Admission admission = new Admission(new Guarantee(2, 1000 << 20), 3, disk);

  private void refused(Guarantee wanted, List<Guarantee> held, String... words) {
    assertThatThrownBy(() -> admission.check(wanted, held))
        .isInstanceOfSatisfying(
            DsecException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.NO_CAPACITY);
              assertThat(e.message()).contains(words);
              assertThat(e.retryAfter()).isPresent();
            });
  }

  @Test
  void exactlyWhatIsThereFits() {
    admission.check(new Guarantee(2, 1000 << 20), List.of());
    List<Guarantee> tenths = Collections.nCopies(2, new Guarantee(0.7, 100 << 20));
    admission.check(new Guarantee(0.6, 800 << 20), tenths);
    refused(new Guarantee(0.61, 801 << 20), tenths, "0.60 cores", "800 MiB");
    assertThat(admission.free(tenths).memory()).isEqualTo(800 << 20);
  }

  @Test
  void theirNumberIsLimited() {
    List<Guarantee> three = Collections.nCopies(3, new Guarantee(0, 0));
    refused(new Guarantee(0, 0), three, "3 sandboxes");
  }

  @Test
  void aFullDiskShutsTheGateUntilItIsClearlyBetter() {
    used = 0.93;
    refused(new Guarantee(0, 0), List.of(), "93.0 %");
    used = 0.91;
    nanos += Duration.ofSeconds(2).toNanos();
    refused(new Guarantee(0, 0), List.of(), "91.0 %");
    used = 0.89;
    nanos += Duration.ofSeconds(2).toNanos();
    admission.check(new Guarantee(0, 0), List.of());
    used = 0.91;
    nanos += Duration.ofSeconds(2).toNanos();
    admission.check(new Guarantee(0, 0), List.of());
  }
}
