// SPDX-License-Identifier: Apache-2.0
package io.dsec.server;

import io.dsec.server.admit.AdmissionSettings;
import io.dsec.server.api.ApiSettings;
import io.dsec.server.batch.BatchSettings;
import io.dsec.server.reap.ReapSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * All settings of a server. Problems of every part are reported together.
 *
 * @param host address to listen on; off loopback put a TLS proxy in front
 * @param port 0 picks a free one
 * @param data directory of the database and the admin key; made when absent
 */
public record ServerConfig(
    String host,
    int port,
    Path data,
    ApiSettings api,
    AdmissionSettings admission,
    BatchSettings batches,
    ReapSettings reap) {
  public ServerConfig {
    List<String> problems = new ArrayList<>();
    if (host.isBlank()) {
      problems.add("host is empty");
    }
    if (port < 0 || port > 65_535) {
      problems.add("port is " + port + "; it must be from 0 to 65535");
    }
    api.problems(problems);
    admission.problems(problems);
    batches.problems(problems);
    reap.problems(problems);
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException("server settings: " + String.join("; ", problems));
    }
  }

  public static ServerConfig defaults(Path data) {
    return new ServerConfig(
        "127.0.0.1",
        7070,
        data,
        ApiSettings.DEFAULT,
        AdmissionSettings.DEFAULT,
        BatchSettings.DEFAULT,
        ReapSettings.DEFAULT);
  }

  public ServerConfig listening(String newHost, int newPort) {
    return new ServerConfig(newHost, newPort, data, api, admission, batches, reap);
  }

  public ServerConfig with(AdmissionSettings settings) {
    return new ServerConfig(host, port, data, api, settings, batches, reap);
  }

  public ServerConfig with(BatchSettings settings) {
    return new ServerConfig(host, port, data, api, admission, settings, reap);
  }

  public ServerConfig with(ApiSettings settings) {
    return new ServerConfig(host, port, data, settings, admission, batches, reap);
  }

  public ServerConfig with(ReapSettings settings) {
    return new ServerConfig(host, port, data, api, admission, batches, settings);
  }
}
