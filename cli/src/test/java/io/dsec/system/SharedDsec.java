// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests the one {@code dsec up} that all of them share; stopped, and checked for leaks, at
 * the very end.
 */
final class SharedDsec implements BeforeAllCallback, ParameterResolver {
  private static final String KEY = "dsec";

  /** What lives as long as the whole test run. */
  private static final class Running implements AutoCloseable {
    private final Path data;
    private final HostState before = HostState.now();
    private final DsecProcess dsec;

    Running() throws IOException {
      data = Files.createTempDirectory("dsec-test");
      // The heap bound is part of the cases: floods of output must not need more (F10, F23).
      dsec = DsecProcess.start(data, "-Xmx256m");
    }

    @Override
    public void close() {
      dsec.close();
      HostState.assertNothingLeft(before, data);
      try (Stream<Path> all = Files.walk(data)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    Assumptions.assumeTrue(
        "root".equals(System.getProperty("user.name")),
        "SKIPPED: system tests make real sandboxes and need root");
    running(context);
  }

  private static Running running(ExtensionContext context) {
    return context
        .getRoot()
        .getStore(Namespace.GLOBAL)
        .computeIfAbsent(
            KEY,
            _ -> {
              try {
                return new Running();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            },
            Running.class);
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == Api.class || type == DsecProcess.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    DsecProcess dsec = running(context).dsec;
    return parameter.getParameter().getType() == Api.class ? dsec.api() : dsec;
  }
}
