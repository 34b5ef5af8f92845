// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Where in a sandbox programs run, as whom, and with what environment. */
final class PlaceOptions {
  @Option(
      names = {"-w", "--workdir"},
      paramLabel = "DIR",
      description = "Working directory; that of a new sandbox is made when absent.")
  Optional<String> workdir = Optional.empty();

  @Option(
      names = {"-u", "--user"},
      paramLabel = "USER",
      description = "Name or number. Default: the sandbox's, else the image's, else agent.")
  Optional<String> user = Optional.empty();

  @Option(
      names = {"-e", "--env"},
      paramLabel = "NAME=VALUE",
      description = "Environment variable; may be repeated.")
  Map<String, String> env = new LinkedHashMap<>();
}
