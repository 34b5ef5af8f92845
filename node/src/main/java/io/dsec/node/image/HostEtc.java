// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.image;

import java.util.List;
import java.util.Map;

/** The /etc of the image {@code host}: our own files, and what may be taken from the host. */
final class HostEtc {
  /** Files that we write, by name below /etc. */
  static final Map<String, String> OWN =
      Map.ofEntries(
          Map.entry(
              "passwd",
              """
              root:x:0:0:root:/root:/bin/bash
              nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
              agent:x:1000:1000:agent:/home/agent:/bin/bash
              """),
          Map.entry(
              "group",
              """
              root:x:0:
              tty:x:5:
              users:x:100:
              agent:x:1000:
              nogroup:x:65534:
              """),
          Map.entry("resolv.conf", "nameserver 127.0.0.53\n"),
          Map.entry(
              "nsswitch.conf",
              """
              passwd: files
              group: files
              shadow: files
              hosts: files dns
              networks: files
              protocols: files
              services: files
              """),
          Map.entry("shells", "/bin/sh\n/bin/bash\n"),
          Map.entry("timezone", "Etc/UTC\n"),
          Map.entry("machine-id", ""),
          Map.entry(
              "profile",
              """
              export PATH="${PATH:-%s}"
              umask 022
              """
                  .formatted(HostImage.PATH)));

  static final Map<String, String> LINKS =
      Map.of("mtab", "/proc/self/mounts", "localtime", "/usr/share/zoneinfo/Etc/UTC");

  /**
   * What programs and libraries in /usr need and is the same on every host of that distribution, as
   * globs below /etc. Nothing that people fill with names, addresses or keys (gitconfig, pip.conf,
   * npmrc, maven's settings.xml, apt).
   */
  static final List<String> PUBLIC =
      List.of(
          "debian_version",
          "redhat-release",
          "lsb-release",
          "os-release",
          "ld.so.cache",
          "ld.so.conf",
          "ld.so.conf.d",
          "ssl/certs/ca-certificates.crt",
          "ssl/certs/ca-bundle.crt",
          "ssl/certs/java/cacerts",
          "ssl/cert.pem",
          "ssl/openssl.cnf",
          "pki/ca-trust/extracted",
          "pki/tls/certs",
          "pki/tls/cert.pem",
          "pki/tls/openssl.cnf",
          "crypto-policies/back-ends",
          "python3",
          "python3.*",
          "perl",
          "java-*",
          "maven/m2.conf",
          "maven/logging",
          "maven/toolchains.xml",
          "fonts",
          "terminfo",
          "inputrc",
          "mime.types",
          "magic",
          "magic.mime",
          "services",
          "protocols",
          "rpc",
          "gai.conf",
          "host.conf",
          "locale.alias",
          "groff",
          "manpath.config",
          "vim",
          "X11/rgb.txt");

  /** Of these, links alone: files among them were put there by somebody. */
  static final List<String> PUBLIC_LINKS = List.of("alternatives", "ssl/certs");

  private HostEtc() {}
}
