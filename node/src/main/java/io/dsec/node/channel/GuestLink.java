// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import io.dsec.proto.guest.ToGuest;

/** The sending half of a guest channel. */
public interface GuestLink {
  /**
   * Sends on the present connection; never blocks.
   *
   * @return the number of that connection, 0 when there is none and the message is dropped
   */
  long send(ToGuest message);

  /**
   * Like {@link #send}, but without hurry: it goes with the next message that is sent, with {@link
   * #flush}, or once a few wait.
   */
  long post(ToGuest message);

  /**
   * Writes what waits, on the caller's own thread where that cannot block: it spares waking another
   * one.
   */
  void flush();

  /** Number of the present connection, counted from 1; 0 when there is none. */
  long generation();
}
