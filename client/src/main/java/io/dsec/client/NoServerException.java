// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.net.URI;

/** Nothing answers at the URL: no request was sent. */
public final class NoServerException extends ConnectionException {
  NoServerException(URI url, Throwable cause) {
    super(url, "no server at " + url, cause);
  }
}
