// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.net.URI;

/** The connection broke, or the reply did not come in time: the outcome of the call is unknown. */
public final class LostConnectionException extends ConnectionException {
  LostConnectionException(URI url, String call, Throwable cause) {
    super(url, "the connection to %s broke during %s: %s".formatted(url, call, cause), cause);
  }
}
