// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.term;

import io.dsec.model.TerminalSize;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** The terminal that is this process's standard input: its size, and raw mode. */
@SuppressWarnings("restricted") // calls of the C library, each with a SAFETY note
public final class Tty {
  private static final int STDIN = 0;
  private static final int TCSADRAIN = 1;
  private static final long TIOCGWINSZ = 0x5413;

  /** Larger than the C library's termios. */
  private static final int MODES = 128;

  private static final int MAX_CELLS = 1000;

  private final MethodHandle isatty = bind("isatty", ValueLayout.JAVA_INT);
  private final MethodHandle tcgetattr =
      bind("tcgetattr", ValueLayout.JAVA_INT, ValueLayout.ADDRESS);
  private final MethodHandle tcsetattr =
      bind("tcsetattr", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS);
  private final MethodHandle cfmakeraw =
      Linker.nativeLinker()
          .downcallHandle(symbol("cfmakeraw"), FunctionDescriptor.ofVoid(ValueLayout.ADDRESS));
  private final MethodHandle ioctl =
      Linker.nativeLinker()
          .downcallHandle(
              symbol("ioctl"),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_INT,
                  ValueLayout.JAVA_LONG,
                  ValueLayout.ADDRESS),
              Linker.Option.firstVariadicArg(2));

  private Tty() {}

  /** Empty when standard input is something else. */
  public static Optional<Tty> ofStdin() {
    Tty tty = new Tty();
    return tty.call(tty.isatty, STDIN) == 1 ? Optional.of(tty) : Optional.empty();
  }

  /** Raw mode; closing it, once or again, restores what was before. */
  public final class Raw implements AutoCloseable {
    private final byte[] before;

    private Raw(byte[] before) {
      this.before = before;
    }

    @Override
    public void close() {
      set(before);
    }
  }

  /** From now on each key is passed on as it is: nothing is edited, echoed, or a signal. */
  public Raw raw() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment modes = arena.allocate(MODES);
      if (call(tcgetattr, STDIN, modes) != 0) {
        throw new IllegalStateException("the terminal does not tell its modes");
      }
      byte[] before = modes.toArray(ValueLayout.JAVA_BYTE);
      invoke(cfmakeraw, modes);
      set(modes.toArray(ValueLayout.JAVA_BYTE));
      return new Raw(before);
    }
  }

  private void set(byte[] modes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment segment = arena.allocateFrom(ValueLayout.JAVA_BYTE, modes);
      int _ = call(tcsetattr, STDIN, TCSADRAIN, segment);
    }
  }

  /** As it is now; the default where the terminal does not know. */
  public TerminalSize size() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(ValueLayout.JAVA_SHORT, 4); // rows, columns, two unused
      int failed = call(ioctl, STDIN, TIOCGWINSZ, size);
      int rows = Short.toUnsignedInt(size.getAtIndex(ValueLayout.JAVA_SHORT, 0));
      int cols = Short.toUnsignedInt(size.getAtIndex(ValueLayout.JAVA_SHORT, 1));
      if (failed != 0 || rows == 0 || cols == 0) {
        return TerminalSize.DEFAULT;
      }
      return new TerminalSize(Math.min(cols, MAX_CELLS), Math.min(rows, MAX_CELLS));
    }
  }

  private static MethodHandle bind(String name, java.lang.foreign.MemoryLayout... arguments) {
    return Linker.nativeLinker()
        .downcallHandle(symbol(name), FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
  }

  private static MemorySegment symbol(String name) {
    return Linker.nativeLinker().defaultLookup().findOrThrow(name);
  }

  private int call(MethodHandle function, Object... arguments) {
    return (int) invoke(function, arguments);
  }

  // SAFETY: each handle is called with the arguments that the C library's function takes, and with
  // memory of at least the size that it reads or writes, which outlives the call.
  private static Object invoke(MethodHandle function, Object... arguments) {
    try {
      Object result = function.invokeWithArguments(arguments);
      return result == null ? 0 : result;
    } catch (Throwable e) {
      throw new IllegalStateException("a call about the terminal failed", e);
    }
  }
}
