// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dsec.link.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Files through the public HTTP surface. */
@ExtendWith(SharedDsec.class)
class FileCasesTest {
  private final DsecProcess dsec;
  private final Api api;
  private final Box box;
  private final FileApi files;

  FileCasesTest(DsecProcess dsec) {
    this.dsec = dsec;
    this.api = dsec.api();
    this.box = api.create(Map.of("resources", Map.of("disk", "400Mi", "memory", "256Mi")));
    this.files = new FileApi(dsec, box);
  }

  @AfterEach
  void remove() {
    files.close();
    box.close();
  }

  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  private static String sha256(byte[] content) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
  }

  private static InputStream zeros(long size) {
    return new InputStream() {
      private long left = size;

      @Override
      public int read() {
        return left-- > 0 ? 0 : -1;
      }

      @Override
      public int read(byte[] into, int from, int count) {
        if (left == 0) {
          return -1;
        }
        int got = (int) Math.min(count, left);
        left -= got;
        return got;
      }
    };
  }

  private static void ok(Api.Reply reply) {
    assertThat(reply.status()).as(reply.text()).isIn(200, 204);
  }

  private static void refused(Api.Reply reply, int status, String code, String field) {
    assertThat(reply.status() + " " + reply.code() + " " + reply.field())
        .as(reply.text())
        .isEqualTo(status + " " + code + " " + field);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {0, 1, 18_431, 18_433, 98_304, 131_072, 262_144, 262_145, 1_048_577, 104_857_600})
  void f13UploadsOfEverySizeArriveWhole(int size) throws Exception {
    byte[] content = random(size);
    Api.Reply put = files.put("/tmp/f", content);
    ok(put);
    assertThat(put.json().path("size").asLong(-1)).isEqualTo(size);
    assertThat(box.exec("sha256sum", "/tmp/f").stdout()).isEqualTo(sha256(content) + "  /tmp/f\n");
    HttpResponse<byte[]> got = files.get("/tmp/f");
    assertThat(got.headers().firstValueAsLong("Content-Length").orElse(-1)).isEqualTo(size);
    assertThat(got.body()).isEqualTo(content);
    // without an announced length
    ok(files.put("/tmp/g", BodyPublishers.fromPublisher(BodyPublishers.ofByteArray(content)), ""));
    assertThat(box.exec("cmp", "/tmp/f", "/tmp/g").ending()).isEqualTo("exited 0");
  }

  @Test
  void f13AFullDiskIsATypedErrorAndLeavesNoPartialFile() {
    try (Box small = api.create(Map.of("resources", Map.of("disk", "32Mi")));
        FileApi there = new FileApi(dsec, small)) {
      ok(there.put("/workspace/old", "old"));
      for (String path : List.of("/workspace/new", "/workspace/old")) {
        Api.Reply full = there.put(path, BodyPublishers.ofInputStream(() -> zeros(64 << 20)), "");
        refused(full, 422, "disk_full", "path");
      }
      assertThat(small.sh("ls -A /workspace; cat /workspace/old").stdout()).isEqualTo("old\nold");
      ok(there.put("/workspace/new", "fits again"));
    }
  }

  @Test
  void f21EverythingResolvesInsideTheSandbox() {
    box.sh("mkdir -p /tmp/w; cd /tmp/w; ln -s /etc/hostname x; ln -s / r; ln -s /proc/1/root p");
    String name = box.exec("cat", "/etc/hostname").stdout();
    assertThat(files.text("/tmp/w/x")).isEqualTo(name);
    ok(files.put("/tmp/w/r/tmp/pwn", "inside"));
    assertThat(box.exec("cat", "/tmp/pwn").stdout()).isEqualTo("inside");
    assertThat(Path.of("/tmp/pwn")).doesNotExist();
    refused(files.list("/tmp/w/p/etc"), 403, "forbidden", "path");
    refused(files.list("/tmp/w/p/etc&user=root"), 403, "forbidden", "path");
    assertThat(files.text("/tmp/w/../../etc/hostname")).isEqualTo(name);
    assertThat(files.text("/../../../../etc/hostname")).isEqualTo(name);
  }

  @Test
  void f21APathThatIsSwappedMeanwhileNeverLeadsOutside() {
    String hosts = readHost("/etc/hosts");
    Api.Reply swapper =
        api.post(
            "/v1/sandboxes/" + box.id() + "/processes",
            Map.of(
                "argv",
                List.of(
                    "sh",
                    "-c",
                    "mkdir -p /tmp/w && cd /tmp/w && while :; do rm -rf q; mkdir q; rm -rf q; ln -s /etc q; done")));
    assertThat(swapper.status()).isEqualTo(201);
    for (int i = 0; i < 2000; i++) {
      Api.Reply put = files.put("/tmp/w/q/f-dsec-test", "x");
      assertThat(put.status()).as(put.text()).isIn(200, 400, 403, 404, 409);
    }
    assertThat(Path.of("/etc/f-dsec-test")).doesNotExist();
    assertThat(readHost("/etc/hosts")).isEqualTo(hosts);
  }

  private static String readHost(String path) {
    try {
      return Files.readString(Path.of(path));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void f22FilesAndParentsBelongToTheUserAndKeepTheirMode() {
    ok(
        files.put(
            "/home/agent/a/b/c.sh",
            BodyPublishers.ofString("#!/bin/sh\necho ran\n"),
            "&mode=0755"));
    assertThat(
            box.sh("stat -c '%u %a' /home/agent/a /home/agent/a/b /home/agent/a/b/c.sh").stdout())
        .isEqualTo("1000 755\n1000 755\n1000 755\n");
    assertThat(box.sh("/home/agent/a/b/c.sh").stdout()).isEqualTo("ran\n");
    ok(files.put("/home/agent/a/b/c.sh", "#!/bin/sh\necho again\n"));
    assertThat(files.stat("/home/agent/a/b/c.sh").path("mode").asString("")).isEqualTo("0755");
    assertThat(box.sh("/home/agent/a/b/c.sh && rm -r /home/agent/a").stdout()).isEqualTo("again\n");
    box.root("echo theirs > /tmp/r; chown 7:8 /tmp/r; chmod 4711 /tmp/r");
    refused(files.put("/tmp/r", "x"), 403, "forbidden", "path");
    ok(files.put("/tmp/r", BodyPublishers.ofString("ours"), "&user=root"));
    assertThat(box.root("stat -c '%u:%g %a' /tmp/r; cat /tmp/r").stdout())
        .isEqualTo("7:8 4711\nours");
    refused(files.put("/root/x/y", "x"), 403, "forbidden", "path");
    refused(
        files.put("/tmp/x", BodyPublishers.ofString(""), "&user=nobody-here"), 422, "bad_user", "");
    refused(
        files.put("/tmp/x", BodyPublishers.ofString(""), "&mode=9"),
        400,
        "invalid_request",
        "mode");
  }

  @Test
  void f22AWriteFollowsALinkAsOpeningWould() {
    box.sh(
        "mkdir /tmp/d; echo old > /tmp/d/target; ln -s d/target /tmp/l; ln -s nowhere /tmp/n; ln -s loop /tmp/loop");
    ok(files.put("/tmp/l", "new"));
    assertThat(box.sh("readlink /tmp/l; cat /tmp/d/target").stdout()).isEqualTo("d/target\nnew");
    ok(files.put("/tmp/n", "made"));
    assertThat(box.sh("readlink /tmp/n; cat /tmp/nowhere").stdout()).isEqualTo("nowhere\nmade");
    refused(files.put("/tmp/loop", "x"), 400, "invalid_request", "path");
    assertThat(files.stat("/tmp/l").path("type").asString("")).isEqualTo("file");
    JsonNode link = files.reply(files.request("files", "/tmp/l&stat=true&follow=false")).json();
    assertThat(link.path("type").asString("") + " " + link.path("target").asString(""))
        .isEqualTo("link d/target");
  }

  @Test
  void f23AShorterContentLeavesNoOldTail() {
    ok(files.put("/tmp/f", BodyPublishers.ofInputStream(() -> zeros(50 << 20)), ""));
    ok(files.put("/tmp/f", "0123456789"));
    assertThat(box.exec("stat", "-c", "%s", "/tmp/f").stdout()).isEqualTo("10\n");
  }

  @Test
  void f23AnUploadThatIsCutChangesNothing() throws Exception {
    ok(files.put("/tmp/old", "old"));
    for (String path : List.of("/tmp/old", "/tmp/fresh")) {
      for (boolean chunked : new boolean[] {false, true}) {
        cutUpload(path, chunked);
      }
    }
    await()
        .atMost(10, TimeUnit.SECONDS)
        .until(() -> box.sh("pgrep -x dsec-files | wc -l").stdout().strip().compareTo("1") <= 0);
    assertThat(box.sh("ls -A /tmp; cat /tmp/old").stdout()).isEqualTo("old\nold");
  }

  /** Half of what was announced, and then nothing more. */
  private void cutUpload(String path, boolean chunked) throws IOException {
    URI uri = URI.create(dsec.url());
    try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
      OutputStream out = socket.getOutputStream();
      String head =
          "PUT /v1/sandboxes/%s/files?path=%s HTTP/1.1\r\nHost: %s:%d\r\nAuthorization: Bearer %s\r\n%s\r\n\r\n"
              .formatted(
                  box.id(),
                  path,
                  uri.getHost(),
                  uri.getPort(),
                  dsec.key(),
                  chunked ? "Transfer-Encoding: chunked" : "Content-Length: 4000000");
      out.write(head.getBytes(UTF_8));
      byte[] half = new byte[1_000_000];
      for (int i = 0; i < 2; i++) {
        if (chunked) {
          out.write("f4240\r\n".getBytes(UTF_8));
        }
        out.write(half);
        if (chunked) {
          out.write("\r\n".getBytes(UTF_8));
        }
      }
      out.flush();
    }
  }

  /** Both ways at once, with a heap that none of them would fit. */
  private void fourTransfers(long size, String disk) throws Exception {
    Path data = Files.createTempDirectory("dsec-test");
    try (DsecProcess own = DsecProcess.start(data, "-Xmx128m")) {
      try (Box there =
              own.api()
                  .create(Map.of("resources", Map.of("disk", disk, "memory", "512Mi", "cpu", 2)));
          FileApi theirs = new FileApi(own, there)) {
        there.sh("truncate -s %d /tmp/sparse".formatted(size));
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          String path = "/tmp/up" + i;
          all.add(
              CompletableFuture.runAsync(
                  () -> ok(theirs.put(path, BodyPublishers.ofInputStream(() -> zeros(size)), ""))));
          all.add(CompletableFuture.runAsync(() -> assertThat(drain(theirs)).isEqualTo(size)));
        }
        for (CompletableFuture<Void> one : all) {
          one.get(8, TimeUnit.MINUTES);
        }
        assertThat(there.sh("stat -c %s /tmp/up?").stdout()).isEqualTo((size + "\n").repeat(4));
      }
    } finally {
      try (Stream<Path> left = Files.walk(data)) {
        for (Path each : left.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }

  private static long drain(FileApi files) {
    byte[] buffer = new byte[1 << 20];
    long total = 0;
    try (InputStream in = files.open("files", "/tmp/sparse").body()) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        total += n;
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return total;
  }

  @Test
  void f23TransfersLargerThanTheHeapGoThrough() throws Exception {
    fourTransfers(192L << 20, "1Gi");
  }

  @Test
  @Tag("soak")
  void f23FourTimesTwoGigabytesEachWayWithASmallHeap() throws Exception {
    fourTransfers(2L << 30, "10Gi");
  }

  @Test
  void rangesAreServedAsHttpSays() {
    ok(files.put("/tmp/f", "0123456789"));
    assertThat(part("bytes=2-4")).isEqualTo("206 234 bytes 2-4/10");
    assertThat(part("bytes=7-")).isEqualTo("206 789 bytes 7-9/10");
    assertThat(part("bytes=-3")).isEqualTo("206 789 bytes 7-9/10");
    assertThat(part("bytes=-30")).isEqualTo("206 0123456789 bytes 0-9/10");
    assertThat(part("bytes=8-100")).isEqualTo("206 89 bytes 8-9/10");
    assertThat(part("bytes=4-2")).isEqualTo("200 0123456789 ");
    assertThat(part("lines=1-2")).isEqualTo("200 0123456789 ");
    HttpResponse<byte[]> beyond = files.get("/tmp/f", "Range", "bytes=10-");
    assertThat(beyond.statusCode()).isEqualTo(416);
    assertThat(beyond.headers().firstValue("Content-Range")).contains("bytes */10");
    assertThat(new String(beyond.body(), UTF_8)).contains("range_not_satisfiable");
    assertThat(files.get("/tmp/f", "Range", "bytes=-0").statusCode()).isEqualTo(416);
    box.sh("truncate -s 3G /tmp/big; printf end >> /tmp/big");
    HttpResponse<byte[]> tail = files.get("/tmp/big", "Range", "bytes=-5");
    assertThat(tail.headers().firstValue("Content-Range"))
        .contains("bytes 3221225470-3221225474/3221225475");
    assertThat(tail.body()).isEqualTo(new byte[] {0, 0, 'e', 'n', 'd'});
  }

  private String part(String range) {
    HttpResponse<byte[]> reply = files.get("/tmp/f", "Range", range);
    return reply.statusCode()
        + " "
        + new String(reply.body(), UTF_8)
        + " "
        + reply.headers().firstValue("Content-Range").orElse("");
  }

  @Test
  void headDescribesWithoutContent() {
    ok(files.put("/tmp/naïve", BodyPublishers.ofString("abc"), "&mode=640"));
    HttpRequest.Builder head = files.request("files", FileApi.encode("/tmp/naïve")).HEAD();
    HttpResponse<Void> reply = files.send(head, BodyHandlers.discarding());
    assertThat(reply.statusCode()).isEqualTo(200);
    assertThat(reply.headers().firstValueAsLong("Content-Length").orElse(-1)).isEqualTo(3);
    assertThat(reply.headers().firstValue("Last-Modified")).isPresent();
    JsonNode entry = Json.mapper().readTree(reply.headers().firstValue("Dsec-Entry").orElse("{}"));
    assertThat(entry.path("name").asString("")).isEqualTo("naïve");
    assertThat(entry.path("mode").asString("")).isEqualTo("0640");
    assertThat(entry.path("uid").asInt(-1)).isEqualTo(1000);
    HttpRequest.Builder none = files.request("files", "/tmp/none").HEAD();
    assertThat(files.send(none, BodyHandlers.discarding()).statusCode()).isEqualTo(404);
    assertThat(files.stat("/tmp").path("type").asString("")).isEqualTo("directory");
  }

  @Test
  void whatIsNoRegularFileIsATypedError() {
    box.sh(
        "mkfifo /tmp/pipe; mkdir /tmp/dir; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"/tmp/sock\")'");
    for (String path : List.of("/tmp/pipe", "/tmp/dir", "/tmp/sock", "/dev/zero", "/dev/null")) {
      refused(files.tryGet(path), 400, "invalid_request", "path");
      refused(files.put(path, "x"), 400, "invalid_request", "path");
    }
    for (String path : List.of("/tmp/none", "/tmp/none/below")) {
      refused(files.tryGet(path), 404, "not_found", "path");
    }
    refused(files.tryGet("relative"), 400, "invalid_request", "path");
    refused(files.tryGet("/tmp/\0"), 400, "invalid_request", "path");
    refused(files.tryGet("/" + "x".repeat(300)), 400, "invalid_request", "path");
    refused(files.tryGet("/etc/passwd/x"), 400, "invalid_request", "path");
    refused(files.reply(files.request("files", "")), 400, "invalid_request", "path");
    refused(files.list("/tmp/none"), 404, "not_found", "path");
    refused(files.list("/etc/passwd"), 400, "invalid_request", "path");
    assertThat(files.tryGet("/proc/kmsg").status()).isIn(400, 403, 404, 409);
    assertThat(files.text("/proc/self/status")).contains("Name:");
    assertThat(files.text("/proc/version")).startsWith("Linux");
    Api.Reply gone = api.get("/v1/sandboxes/sb-aaaaaaaa22222222/files?path=/x");
    assertThat(gone.status()).isEqualTo(404);
  }

  @Test
  void namesThatAreNotUtf8AreListedReadAndDeleted() {
    box.run(
        Map.of(
            "argv",
            List.of(
                "python3",
                "-c",
                "import os; os.mkdir('/tmp/d'); open(b'/tmp/d/a\\xff\\xfe', 'w').write('odd'); open('/tmp/d/plain', 'w')")));
    JsonNode entries = files.list("/tmp/d").json().path("entries");
    assertThat(entries).hasSize(2);
    assertThat(entries.path(0).path("name").asString("")).isEqualTo("a\uFFFD\uFFFD");
    assertThat(entries.path(0).path("name_base64").asString("")).isEqualTo("Yf/+");
    assertThat(entries.path(1).path("name_base64").isMissingNode()).isTrue();
    HttpResponse<byte[]> odd =
        files.send(files.request("files", "/tmp/d/a%FF%fe"), BodyHandlers.ofByteArray());
    assertThat(new String(odd.body(), UTF_8)).isEqualTo("odd");
    ok(files.post("move", Map.of("from_base64", "L3RtcC9kL2H//g==", "to", "/tmp/d/b c+d")));
    assertThat(files.text("/tmp/d/b c+d")).isEqualTo("odd");
    ok(files.post("move", Map.of("to_base64", "L3RtcC9kL2H//g==", "from", "/tmp/d/b c+d")));
    ok(files.delete("/tmp/d/a%FF%FE"));
    assertThat(box.exec("ls", "/tmp/d").stdout()).isEqualTo("plain\n");
  }

  @Test
  void aListingIsPagedAndTellsAll() {
    box.sh(
        "mkdir /tmp/d; cd /tmp/d; for i in $(seq 1 25); do echo > f$i; done; ln -s f1 l; mkdir s; chmod 700 s");
    List<String> names = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = files.list("/tmp/d&limit=10" + cursor).json();
      page.path("entries").forEach(entry -> names.add(entry.path("name").asString("")));
      JsonNode next = page.path("next_cursor");
      cursor = next.isString() ? "&cursor=" + next.asString("") : "";
      box.sh("rm -f /tmp/d/f1"); // what was listed already may go
    } while (!cursor.isEmpty());
    assertThat(names).hasSize(27).doesNotHaveDuplicates().isSorted();
    JsonNode all = files.list("/tmp/d").json();
    assertThat(all.path("next_cursor").isNull()).isTrue();
    List<String> shown = new ArrayList<>();
    all.path("entries")
        .forEach(
            e -> {
              if (!e.path("name").asString("").startsWith("f")) {
                shown.add(
                    "%s %s %s %s"
                        .formatted(
                            e.path("name").asString(""),
                            e.path("type").asString(""),
                            e.path("mode").asString(""),
                            e.path("target").asString("-")));
              }
            });
    assertThat(shown).containsExactly("l link 0777 f1", "s directory 0700 -");
    refused(files.list("/tmp/d&cursor=***"), 400, "invalid_request", "cursor");
  }

  @Test
  void directoriesAreMadeMovedRemovedAndChanged() {
    ok(files.post("mkdir", Map.of("path", "/tmp/a")));
    refused(files.post("mkdir", Map.of("path", "/tmp/a")), 409, "conflict", "path");
    refused(files.post("mkdir", Map.of("path", "/tmp/x/y/z")), 404, "not_found", "path");
    ok(files.post("mkdir", Map.of("path", "/tmp/x/y/z", "parents", true, "mode", "1777")));
    ok(files.post("mkdir", Map.of("path", "/tmp/x/y/z", "parents", true)));
    assertThat(box.sh("stat -c '%u %a' /tmp/x /tmp/x/y/z").stdout())
        .isEqualTo("1000 755\n1000 1777\n");
    ok(files.put("/tmp/a/f", "f"));
    ok(files.post("move", Map.of("from", "/tmp/a", "to", "/tmp/x/b")));
    assertThat(files.text("/tmp/x/b/f")).isEqualTo("f");
    ok(files.put("/tmp/g", "g"));
    refused(
        files.post("move", Map.of("from", "/tmp/g", "to", "/tmp/x/b/f", "overwrite", false)),
        409,
        "conflict",
        "path");
    ok(files.post("move", Map.of("from", "/tmp/g", "to", "/tmp/x/b/f")));
    assertThat(files.text("/tmp/x/b/f")).isEqualTo("g");
    refused(files.post("move", Map.of("from", "/tmp/g", "to", "/tmp/h")), 404, "not_found", "path");
    ok(files.post("chmod", Map.of("path", "/tmp/x/b/f", "mode", "0400")));
    assertThat(files.stat("/tmp/x/b/f").path("mode").asString("")).isEqualTo("0400");
    refused(
        files.post("chown", Map.of("path", "/tmp/x", "owner", "root")), 403, "forbidden", "path");
    ok(
        files.post(
            "chown",
            Map.of("path", "/tmp/x", "owner", "7:agent", "recursive", true, "user", "root")));
    assertThat(box.root("stat -c '%u:%G' /tmp/x /tmp/x/b/f").stdout())
        .isEqualTo("7:agent\n7:agent\n");
    refused(
        files.post("chown", Map.of("path", "/tmp/x", "owner", "no-such", "user", "root")),
        400,
        "invalid_request",
        "owner");
    ok(
        files.post(
            "chmod", Map.of("path", "/tmp/x", "mode", "777", "recursive", true, "user", "root")));
    refused(files.delete("/tmp/x&user=root"), 409, "conflict", "path");
    ok(files.delete("/tmp/x&recursive=true&user=root"));
    refused(files.delete("/tmp/x"), 404, "not_found", "path");
    refused(files.post("chmod", Map.of("path", "/tmp", "nope", 1)), 400, "invalid_request", "nope");
  }

  @Test
  void changesAreToldAsTheyHappen() throws Exception {
    box.sh("mkdir -p /tmp/w/sub; echo > /tmp/w/sub/old");
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                files.open("files/watch", "/tmp/w&recursive=true").body(), UTF_8))) {
      assertThat(lines.readLine()).contains("start");
      box.sh("echo 1 > /tmp/w/a");
      assertThat(until(lines, "create /tmp/w/a")).isTrue();
      box.sh("mkdir -p /tmp/w/new/deep && sleep 0.1 && echo 2 > /tmp/w/new/deep/b");
      assertThat(until(lines, "create /tmp/w/new/deep/b")).isTrue();
      box.sh("mv /tmp/w/sub /tmp/w/sub2; echo more >> /tmp/w/sub2/old");
      assertThat(until(lines, "rename /tmp/w/sub2 from /tmp/w/sub")).isTrue();
      assertThat(until(lines, "modify /tmp/w/sub2/old")).isTrue();
      box.sh("chmod 600 /tmp/w/a; rm /tmp/w/a");
      assertThat(until(lines, "chmod /tmp/w/a")).isTrue();
      assertThat(until(lines, "delete /tmp/w/a")).isTrue();
      ok(files.put("/tmp/w/sub2/old", "by the API"));
      assertThat(until(lines, "modify /tmp/w/sub2/old")).isTrue();
      box.sh("rm -r /tmp/w");
      assertThat(until(lines, "end gone")).isTrue();
      assertThat(lines.readLine()).isNull();
    }
    refused(files.reply(files.request("files/watch", "/tmp/none")), 404, "not_found", "path");
  }

  private static boolean until(BufferedReader lines, String wanted) throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonNode told = Json.mapper().readTree(line);
      String shown =
          told.has("end")
              ? "end " + told.path("end").path("reason").asString("")
              : told.path("event").asString("") + " " + told.path("path").asString("");
      if (told.has("from")) {
        shown += " from " + told.path("from").asString("");
      }
      assertThat(line).doesNotContain(".dsec-");
      if (shown.equals(wanted)) {
        return true;
      }
    }
    return false;
  }

  @Test
  void anArchiveKeepsWhatTarKeeps() throws Exception {
    String name = "n".repeat(150);
    box.sh(
        "mkdir -p /tmp/from/d/e; cd /tmp/from; echo one > one; chmod 640 one; ln one two; ln -s ../one d/l; "
            + "echo x > d/"
            + name
            + "; chmod 555 d; touch -d '2001-02-03 04:05:06.789' one d; head -c 300000 /dev/urandom > big");
    byte[] tar =
        files.send(files.request("archive", "/tmp/from"), BodyHandlers.ofByteArray()).body();
    Api.Reply put =
        files.reply(files.request("archive", "/tmp/to/here").PUT(BodyPublishers.ofByteArray(tar)));
    ok(put);
    String look = " && find . -printf '%p %y %m %s %T@ %n %l\\n' | grep -v '^\\. ' | sort";
    String from = box.sh("cd /tmp/from" + look).stdout();
    assertThat(box.sh("cd /tmp/to/here" + look).stdout()).isEqualTo(from).contains(name);
    assertThat(box.exec("cmp", "/tmp/from/big", "/tmp/to/here/big").ending()).isEqualTo("exited 0");
    Ran listed =
        box.run(
            Map.of(
                "argv",
                List.of("tar", "-tf", "-"),
                "stdin_base64",
                java.util.Base64.getEncoder().encodeToString(tar)));
    assertThat(listed.stdout()).contains("./\n").contains("d/" + name);
    HttpResponse<byte[]> one =
        files.send(files.request("archive", "/tmp/from/one"), BodyHandlers.ofByteArray());
    assertThat(new String(one.body(), UTF_8)).contains("one\0");
    refused(files.reply(files.request("archive", "/tmp/none")), 404, "not_found", "path");
  }

  @Test
  void anArchiveNeverEscapesItsDirectory() {
    box.sh("mkdir /tmp/in /tmp/out; ln -s /tmp/out /tmp/in/link");
    String make =
        """
        import io, sys, tarfile
        b = io.BytesIO(); t = tarfile.open(fileobj=b, mode="w")
        def add(name, kind=tarfile.REGTYPE, to=""):
            i = tarfile.TarInfo(name); i.type = kind; i.linkname = to; i.size = 1 if kind == tarfile.REGTYPE else 0
            t.addfile(i, io.BytesIO(b"x"))
        ENTRIES
        t.close(); sys.stdout.buffer.write(b.getvalue())
        """;
    for (String hostile :
        List.of(
            "add('/tmp/out/abs')",
            "add('a/../../out/up')",
            "add('link/through')",
            "add('own', tarfile.SYMTYPE, '/tmp/out'); add('own/through')",
            "add('hard', tarfile.LNKTYPE, '../out/x')",
            "add('hard', tarfile.LNKTYPE, 'link/x')",
            "add('dev', tarfile.CHRTYPE)")) {
      byte[] tar =
          box.exec("python3", "-c", make.replace("ENTRIES", hostile)).stdoutBytes().toArray();
      Api.Reply put =
          files.reply(files.request("archive", "/tmp/in").PUT(BodyPublishers.ofByteArray(tar)));
      refused(put, 400, "invalid_request", "archive");
      assertThat(put.message()).containsAnyOf("abs", "up", "through", "hard", "dev", "../out/x");
    }
    assertThat(box.exec("ls", "-A", "/tmp/out").stdout()).isEmpty();
    Api.Reply junk =
        files.reply(
            files.request("archive", "/tmp/in").PUT(BodyPublishers.ofByteArray(random(5000))));
    refused(junk, 400, "invalid_request", "archive");
  }

  @Test
  void killingOrStoppingTheAgentHurtsOneCallAtMost() {
    ok(files.put("/tmp/f", "1"));
    assertThat(box.sh("pkill -KILL -x dsec-files; echo $?").stdout()).isEqualTo("0\n");
    assertThat(files.text("/tmp/f")).isEqualTo("1");
    assertThat(
            box.sh("p=$(pgrep -x dsec-files); cat /proc/$p/mem /proc/$p/environ; ls /proc/$p/fd")
                .stdout())
        .isEmpty();
    ok(files.put("/tmp/f", "2"));
  }

  @Test
  void aFileOfATaskThatCannotBeWrittenIsItsEnding() {
    Api.Reply task =
        api.post(
            "/v1/tasks",
            Map.of(
                "image",
                "host",
                "command",
                List.of("true"),
                "files",
                Map.of("/proc/version/x", "no")));
    String id = task.json().path("id").asString("");
    JsonNode ending =
        await()
            .atMost(20, TimeUnit.SECONDS)
            .until(() -> api.get("/v1/tasks/" + id).json().path("ending"), JsonNode::isObject);
    assertThat(ending.path("reason").asString("")).isEqualTo("files_refused");
    assertThat(ending.path("is_fault").asBoolean(true)).isFalse();
  }
}
