// SPDX-License-Identifier: Apache-2.0
/**
 * Java client of DSec's HTTP interface. Begin with {@link io.dsec.client.DsecClient}. Calls block
 * and may come from any thread, virtual ones included.
 */
@NullMarked
package io.dsec.client;

import org.jspecify.annotations.NullMarked;
