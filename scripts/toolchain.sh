# SPDX-License-Identifier: Apache-2.0
# Shared by ./dsec and ./dev: finding the tools, and saying in one line how to get a missing one.
# Sourced; sets JAVA_HOME. Callers set ROOT.

fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 2
}

# need PROGRAM 'command that installs it'
need() {
  command -v "$1" > /dev/null 2>&1 || fail "needs $1, which is not here; install it with: $2"
}

jdk_release() {
  # JAVA_VERSION="25.0.3" in the JDK's own release file: reading it costs no JVM start.
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2> /dev/null
}

# find_jdk jre|jdk: exports JAVA_HOME of a Java 25 or newer.
find_jdk() {
  local tool=bin/java candidate on_path version
  [ "$1" = jdk ] && tool=bin/javac
  on_path=$(command -v java 2> /dev/null) && on_path=$(readlink -f "$on_path") && on_path=${on_path%/bin/java}
  for candidate in "${JAVA_HOME:-}" "$on_path" /usr/lib/jvm/* /opt/* "$HOME"/.sdkman/candidates/java/*; do
    [ -n "$candidate" ] && [ -x "$candidate/$tool" ] || continue
    version=$(jdk_release "$candidate")
    if [ "${version:-0}" -ge 25 ]; then
      export JAVA_HOME="$candidate"
      return
    fi
  done
  fail "needs a JDK 25, which is not here; install one, for example with: apt-get install temurin-25-jdk (or openjdk-25-jdk-headless), or set JAVA_HOME"
}
