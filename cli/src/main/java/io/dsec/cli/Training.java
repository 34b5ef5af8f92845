// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Terminal;
import io.dsec.client.Pause;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.InstantSource;
import java.util.Map;

/**
 * Does once what short commands do, so that Java can keep their classes loaded and linked in a
 * cache beside the distribution ({@code -XX:AOTCacheOutput}). Talks to a port of loopback that
 * nobody answers.
 */
public final class Training {
  private static final String NOBODY = "http://127.0.0.1:1";

  private Training() {}

  public static void main(String[] args) {
    Surroundings around =
        new Surroundings(
            new Terminal(
                InputStream.nullInputStream(),
                OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(),
                true,
                true,
                Map.of("DSEC_URL", NOBODY)),
            new OnExit(),
            InstantSource.system(),
            Pause.SLEEPING);
    for (String line :
        new String[] {
          "--help",
          "sandbox ls",
          "sandbox show sb-aaaaaaaaaaaaaaaa -o json",
          "run host --cpu 1 --memory 64Mi -e A=b -- true",
          "exec sb-aaaaaaaaaaaaaaaa --timeout 1s -- true"
        }) {
      int _ = Main.commands(around).execute(line.split(" ", -1));
    }
  }
}
