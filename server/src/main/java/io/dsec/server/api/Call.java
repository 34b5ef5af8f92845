// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

/** What a route does. Errors are thrown as {@link io.dsec.model.DsecException}. */
interface Call {
  void handle(Exchange exchange) throws Exception;
}
