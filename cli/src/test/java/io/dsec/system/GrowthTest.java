// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Much work, and afterwards the server, the node and the guest are as large as before. */
@Tag("soak")
@ExtendWith(SharedDsec.class)
class GrowthTest {
  private static final Pattern USED = Pattern.compile("used (\\d+)K");
  private static final long MIB = 1 << 20;

  private final DsecProcess dsec;
  private final Api api;

  GrowthTest(DsecProcess dsec) {
    this.dsec = dsec;
    this.api = dsec.api();
  }

  /** What a process holds: open descriptors, threads of the kernel, and bytes that are in use. */
  private record Size(long descriptors, long threads, long bytes) {}

  @Test
  void tenThousandExecsInOneSandbox() {
    try (Box box = api.create()) {
      String name = box.exec("hostname").stdout().strip();
      execs(box, 500);
      long init = init(name);
      Size server = server();
      Size guest = guest(init);
      execs(box, 10_000);
      assertNoLargerThan(server, 8 * MIB);
      await()
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(
              () -> {
                Size now = guest(init);
                assertThat(now.descriptors()).isLessThanOrEqualTo(guest.descriptors() + 2);
                assertThat(now.bytes()).isLessThanOrEqualTo(guest.bytes() + MIB / 2);
              });
    }
  }

  @Test
  void aThousandSandboxesWithTenExecsEach() throws Exception {
    sandboxes(100);
    Size server = server();
    sandboxes(1_000);
    assertNoLargerThan(server, 16 * MIB);
  }

  private void execs(Box box, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(box.exec("echo", "x").stdout()).isEqualTo("x\n");
    }
  }

  private void sandboxes(int count) throws Exception {
    try (ExecutorService clients = Executors.newFixedThreadPool(8)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        all.add(clients.submit(this::oneSandbox));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
  }

  private void oneSandbox() {
    Map<String, ?> small = Map.of("resources", Map.of("cpu", 0.2, "memory", "32Mi"));
    Box box = created(small);
    try (box) {
      execs(box, 10);
    }
  }

  /** At the pace that the entry limit allows. */
  private Box created(Map<String, ?> fields) {
    List<Box> made = new ArrayList<>();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> {
              Map<String, Object> body = new java.util.TreeMap<>(fields);
              body.put("image", "host");
              Api.Reply reply = api.post("/v1/sandboxes", body);
              if (reply.status() == 201) {
                made.add(new Box(api, reply.json().path("id").asString("")));
              } else {
                assertThat(reply.status()).as(reply.text()).isEqualTo(429);
              }
              return !made.isEmpty();
            });
    return made.getFirst();
  }

  private void assertNoLargerThan(Size before, long slack) {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofSeconds(1))
        .untilAsserted(
            () -> {
              Size now = server();
              assertThat(now.descriptors()).isLessThanOrEqualTo(before.descriptors() + 20);
              assertThat(now.threads()).isLessThanOrEqualTo(before.threads() + 20);
              assertThat(now.bytes()).isLessThanOrEqualTo(before.bytes() + slack);
            });
  }

  private Size server() {
    return new Size(count(dsec.pid(), "fd"), count(dsec.pid(), "task"), heap());
  }

  /** What is in use after a collection. */
  private long heap() {
    jcmd("GC.run");
    Matcher m = USED.matcher(jcmd("GC.heap_info"));
    long used = 0;
    while (m.find()) {
      used += Long.parseLong(m.group(1)) << 10;
    }
    assertThat(used).isPositive();
    return used;
  }

  private String jcmd(String command) {
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    try {
      Process process =
          new ProcessBuilder(jcmd, Long.toString(dsec.pid()), command)
              .redirectErrorStream(true)
              .start();
      return new String(process.getInputStream().readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Size guest(long init) {
    return new Size(count(init, "fd"), count(init, "task"), privateBytes(init));
  }

  private static long privateBytes(long pid) {
    return lines(pid, "smaps_rollup")
        .filter(line -> line.startsWith("Private_"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
        .sum();
  }

  /** The init of the sandbox with this host name. */
  private static long init(String hostname) {
    return HostState.now().processes().stream()
        .filter(line -> line.endsWith("dsec-init"))
        .map(line -> Long.parseLong(line.substring(0, line.indexOf(' '))))
        .filter(pid -> lines(pid, "root/etc/hostname").anyMatch(hostname::equals))
        .findFirst()
        .orElseThrow();
  }

  private static Stream<String> lines(long pid, String file) {
    try {
      return Files.readAllLines(Path.of("/proc", Long.toString(pid), file)).stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long count(long pid, String directory) {
    try (Stream<Path> all = Files.list(Path.of("/proc", Long.toString(pid), directory))) {
      return all.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
