// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.image;

/** Turns the name of an image into directories on this node. */
public interface Images {
  /**
   * @throws io.dsec.model.DsecException {@code IMAGE_NOT_FOUND} when no source has it
   */
  Image resolve(String name);
}
