// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

/**
 * What a command is of a shell session.
 *
 * @param shell number of the session's shell, which runs the command; 0: it is such a shell itself
 */
public record SessionPart(long shell) {
  public static final SessionPart SHELL = new SessionPart(0);

  public SessionPart {
    Check.between("shell", shell, 0, Long.MAX_VALUE);
  }

  public boolean isShell() {
    return shell == 0;
  }
}
