// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

/** Whether a sandbox writes its trajectory. */
public enum RecordMode {
  ON,
  OFF
}
