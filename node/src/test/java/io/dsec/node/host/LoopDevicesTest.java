// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LoopDevicesTest {
  private Path directory;

  @BeforeEach
  void prepare() {
    TestHost.assumeRoot();
    directory = TestHost.directory("loop");
  }

  @AfterEach
  void remove() {
    if (directory != null) {
      TestHost.remove(directory);
    }
  }

  @Test
  void manyAtOnceEachGetTheirOwn() throws Exception {
    List<Callable<LoopDevices.Attached>> tasks = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      Path file = image("image-" + i);
      tasks.add(() -> LoopDevices.attach(file));
    }
    Set<Path> devices = new HashSet<>();
    List<LoopDevices.Attached> attached = new ArrayList<>();
    try (var threads = Executors.newFixedThreadPool(8)) {
      for (var result : threads.invokeAll(tasks)) {
        attached.add(result.get());
        devices.add(result.get().device());
      }
    }
    assertThat(devices).hasSize(24);
    attached.forEach(LoopDevices.Attached::close);
  }

  @Test
  void aDeviceGoesWithItsLastUser() throws Exception {
    Path file = image("image");
    try (var loop = LoopDevices.attach(file)) {
      assertThat(LoopDevices.showing(file)).containsExactly(loop.device());
    }
    await().atMost(Duration.ofSeconds(5)).until(() -> LoopDevices.showing(file).isEmpty());
    LoopDevices.detach(file);
  }

  private Path image(String name) throws Exception {
    return Files.write(directory.resolve(name), new byte[1 << 16]);
  }
}
