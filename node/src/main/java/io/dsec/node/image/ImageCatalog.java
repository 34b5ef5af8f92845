// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.image;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;

/** The images that this node knows. */
public final class ImageCatalog implements Images {
  private final Image host;

  public ImageCatalog(HostImage host) {
    this.host = host.prepare();
  }

  @Override
  public Image resolve(String name) {
    if (name.equals("host")) {
      return host;
    }
    throw DsecException.of(
            ErrorCode.IMAGE_NOT_FOUND,
            "there is no image \"%s\": images from registries come with a later release"
                .formatted(name))
        .withField("image")
        .withHint("use the image \"host\", which shows the programs of the node's own host");
  }
}
