// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened in a batch.
 *
 * @param id place in the order of events; a broken connection goes on behind it
 * @param data JSON text
 */
public record BatchEvent(@Nullable String id, String kind, String data) {}
