// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.net.URI;

/** The server could not be asked, or went away before it had answered. */
public sealed class ConnectionException extends RuntimeException
    permits NoServerException, LostConnectionException {
  private final URI url;

  ConnectionException(URI url, String message, Throwable cause) {
    super(message, cause);
    this.url = url;
  }

  public URI url() {
    return url;
  }
}
