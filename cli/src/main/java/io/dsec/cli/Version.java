// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import picocli.CommandLine.IVersionProvider;

/** The version in the jar's manifest. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {"dsec " + (version == null ? "(unpackaged)" : version)};
  }
}
