// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import io.dsec.model.Reason;
import io.dsec.proto.guest.Ended;
import io.dsec.proto.guest.Late;
import io.dsec.proto.guest.Started;
import io.dsec.proto.guest.StdinWindow;
import io.dsec.proto.guest.Welcome;

/**
 * Receives what a guest says, in order, on the channel's reader thread. A method that finds the
 * guest in breach of the contract throws {@link ProtocolBreach}.
 */
public interface GuestSession {
  /** A connection stands; what was sent on earlier ones may be lost. */
  void welcome(Welcome welcome) throws ProtocolBreach;

  void started(Started started) throws ProtocolBreach;

  void output(Output output) throws ProtocolBreach;

  void ended(Ended ended) throws ProtocolBreach;

  void stdinWindow(StdinWindow window) throws ProtocolBreach;

  void late(Late late) throws ProtocolBreach;

  /** The connection broke; another is being made. */
  void interrupted();

  /** The channel has given up: nothing more will come. */
  void lost(Reason reason, String message);
}
