// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.term;

/** Colours, when there is somebody to see them. */
public record Style(boolean coloured) {
  public String bold(String text) {
    return paint("1", text);
  }

  public String faint(String text) {
    return paint("2", text);
  }

  public String red(String text) {
    return paint("31", text);
  }

  public String green(String text) {
    return paint("32", text);
  }

  public String yellow(String text) {
    return paint("33", text);
  }

  private String paint(String code, String text) {
    return coloured && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
