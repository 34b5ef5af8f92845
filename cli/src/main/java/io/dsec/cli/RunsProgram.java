// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

/** A command whose exit code is that of a program in a sandbox. */
interface RunsProgram {}
