// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.model.DsecException;
import io.dsec.model.Quantity;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Sizes and durations of the command line, read as everywhere in DSec. */
final class Quantities {
  private Quantities() {}

  static final class Size implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      try {
        return Quantity.size("the value", text);
      } catch (DsecException e) {
        throw new TypeConversionException(e.message());
      }
    }
  }

  static final class Length implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      try {
        return Quantity.duration("the value", text);
      } catch (DsecException e) {
        throw new TypeConversionException(e.message());
      }
    }
  }
}
