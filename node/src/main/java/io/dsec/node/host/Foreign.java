// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.Collections;

/** Functions of the C library, called with up to six longs each. */
final class Foreign {
  /** Of the C prototype: an int or an enum. */
  static final MemoryLayout INT = JAVA_INT;

  /** Of the C prototype: a long, a size or a pointer. */
  static final MemoryLayout LONG = JAVA_LONG;

  private static final int ARGUMENTS = 6;
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final long ERRNO = STATE.byteOffset(PathElement.groupElement("errno"));
  private static final Linker LINKER = Linker.nativeLinker();

  private final String name;
  private final MethodHandle handle;

  private Foreign(String name, MethodHandle handle) {
    this.name = name;
    this.handle = handle;
  }

  static Foreign function(String name, MemoryLayout result, MemoryLayout... arguments) {
    return link(
        name, FunctionDescriptor.of(result, arguments), Linker.Option.captureCallState("errno"));
  }

  /** A function whose prototype ends in {@code ...} after {@code fixed} arguments. */
  static Foreign variadic(String name, int fixed, MemoryLayout result, MemoryLayout... arguments) {
    return link(
        name,
        FunctionDescriptor.of(result, arguments),
        Linker.Option.captureCallState("errno"),
        Linker.Option.firstVariadicArg(fixed));
  }

  // SAFETY: each caller states the C prototype; pointers travel as 64-bit integers, see Syscalls.
  @SuppressWarnings("restricted")
  private static Foreign link(String name, FunctionDescriptor type, Linker.Option... options) {
    MethodHandle raw =
        LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), type, options);
    int given = type.argumentLayouts().size();
    MethodType longs =
        MethodType.methodType(long.class, Collections.nCopies(given, long.class))
            .insertParameterTypes(0, MemorySegment.class);
    MethodHandle all =
        MethodHandles.dropArguments(
            MethodHandles.explicitCastArguments(raw, longs),
            given + 1,
            Collections.nCopies(ARGUMENTS - given, long.class));
    return new Foreign(name, all);
  }

  /** The result, or minus errno where the function returned -1. */
  long call(long... arguments) {
    long[] a = Arrays.copyOf(arguments, ARGUMENTS);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      long result = (long) handle.invokeExact(state, a[0], a[1], a[2], a[3], a[4], a[5]);
      return result == -1 ? -state.get(JAVA_INT, ERRNO) : result;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(name, e);
    }
  }

  /** Like {@link #call}, with failures as exceptions that name operation and object. */
  long check(String operation, Object object, long... arguments) {
    long result = call(arguments);
    if (result < 0) {
      throw new SyscallException(operation, object.toString(), (int) -result);
    }
    return result;
  }
}
