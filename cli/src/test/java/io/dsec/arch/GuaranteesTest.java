// SPDX-License-Identifier: Apache-2.0
package io.dsec.arch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A promise is a test: every proof that docs/guarantees.md names exists in the sources. Proofs are
 * written as {@code Class#method} (Java), {@code guest:function} (Rust) and {@code
 * bench:name/figure}.
 */
class GuaranteesTest {
  private static final Path ROOT = Path.of(System.getProperty("dsec.root", ".."));
  private static final Pattern JAVA = Pattern.compile("`([A-Z]\\w+)#(\\w+)`");
  private static final Pattern RUST = Pattern.compile("`guest:(\\w+)`");
  private static final Pattern PYTHON = Pattern.compile("`python:(\\w+)`");
  private static final Pattern BENCH = Pattern.compile("`bench:([\\w-]+)/([\\w-]+)`");

  @Test
  void everyNamedProofExists() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/guarantees.md"));
    String java = sources("src/test/java", ".java");
    String rust = sources("guest", ".rs");
    String python = sources("sdk/python/tests", ".py");
    String bench = sources("bench/src/main/java", ".java");
    List<String> missing = new ArrayList<>();
    int named = 0;
    for (Matcher m = JAVA.matcher(page); m.find(); named++) {
      if (!Pattern.compile("class " + m.group(1) + "\\b").matcher(java).find()
          || !Pattern.compile("void " + m.group(2) + "\\(").matcher(java).find()) {
        missing.add(m.group());
      }
    }
    for (Matcher m = RUST.matcher(page); m.find(); named++) {
      if (!Pattern.compile("fn " + m.group(1) + "\\(").matcher(rust).find()) {
        missing.add(m.group());
      }
    }
    for (Matcher m = PYTHON.matcher(page); m.find(); named++) {
      if (!Pattern.compile("def " + m.group(1) + "\\(").matcher(python).find()) {
        missing.add(m.group());
      }
    }
    for (Matcher m = BENCH.matcher(page); m.find(); named++) {
      if (!bench.contains('"' + m.group(1) + '"') || !bench.contains('"' + m.group(2) + '"')) {
        missing.add(m.group());
      }
    }
    assertThat(missing).as("proofs named in docs/guarantees.md that no source has").isEmpty();
    assertThat(named).as("proofs named in docs/guarantees.md").isGreaterThan(20);
  }

  private static String sources(String below, String ending) throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file :
          files
              .filter(
                  f -> f.toString().endsWith(ending) && f.toString().contains("/" + below + "/"))
              .filter(f -> !f.toString().contains("/target/"))
              .toList()) {
        all.append(Files.readString(file));
      }
    }
    return all.toString();
  }
}
