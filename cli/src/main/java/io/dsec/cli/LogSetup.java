// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.LoggerFactory;

/**
 * Logs go to standard error: warnings alone, until {@link #verbose} is called. Found by Logback as
 * a service, so that no XML is read at start.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {
  private static final java.util.logging.Logger HELIDON =
      java.util.logging.Logger.getLogger("io.helidon");

  /** Warns with a stack trace of each client that goes away in the middle of a request. */
  private static final java.util.logging.Logger HALF_REQUESTS =
      java.util.logging.Logger.getLogger("io.helidon.webserver.http1.Http1Connection");

  private static final String PATTERN = "%d{HH:mm:ss.SSS} %-5level %logger{0}: %msg%n%ex{short}";

  enum Format {
    TEXT,
    JSON
  }

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    install(context, Level.WARN, Format.TEXT);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /** Helidon logs past SLF4J, to the JDK's own loggers. */
  static void quietHelidon() {
    HELIDON.setLevel(java.util.logging.Level.WARNING);
    HALF_REQUESTS.setLevel(java.util.logging.Level.SEVERE);
  }

  static void verbose(Format format) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    install(context, Level.INFO, format);
  }

  private static void install(LoggerContext context, Level level, Format format) {
    Encoder<ILoggingEvent> encoder = format == Format.JSON ? new JsonEncoder() : text();
    encoder.setContext(context);
    encoder.start();
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setTarget("System.err");
    appender.setEncoder(encoder);
    appender.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.detachAndStopAllAppenders();
    root.setLevel(level);
    root.addAppender(appender);
    for (String chatty : new String[] {"io.helidon", "com.zaxxer", "org.flywaydb"}) {
      context.getLogger(chatty).setLevel(Level.WARN);
    }
  }

  private static PatternLayoutEncoder text() {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setPattern(PATTERN);
    return encoder;
  }
}
