// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

/** What a path leads to. */
public enum FileType {
  FILE,
  DIRECTORY,
  LINK,
  PIPE,
  SOCKET,
  DEVICE
}
