// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.link.Duplex;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.proto.guest.Start;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;

/** A TCP connection to a server inside. */
public final class PortConnection implements Duplex {
  private final AppletStream applet;
  private final InputStream input;

  private PortConnection(AppletStream applet) {
    this.applet = applet;
    this.input =
        new PieceInput(applet) {
          @Override
          protected IOException givenUp() {
            return new IOException("the connection broke");
          }
        };
  }

  public static Duplex open(Applets applets, int port) {
    try {
      return new PortConnection(
          applets.open(
              Start.Applet.CONNECT,
              List.of(Integer.toString(port)),
              Optional.empty(),
              Optional.empty()));
    } catch (AppletRefused e) {
      throw DsecException.of(
              ErrorCode.CONFLICT,
              "port %d of the sandbox cannot be reached: %s".formatted(port, e.getMessage()))
          .withField("port")
          .withHint("start a server inside that listens on 127.0.0.1 or on all addresses");
    } catch (IOException e) {
      throw DsecException.of(ErrorCode.SANDBOX_FAILED, "no connection could be made: " + e)
          .withCause(e);
    }
  }

  @Override
  public InputStream input() {
    return input;
  }

  @Override
  public OutputStream output() {
    return applet.output();
  }

  @Override
  public void close() {
    applet.close();
  }
}
