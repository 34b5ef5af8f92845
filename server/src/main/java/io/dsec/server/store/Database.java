// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Function;
import org.flywaydb.core.Flyway;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/**
 * SQLite in WAL mode: readers never wait for the writer. {@code synchronous=NORMAL} keeps every
 * commit over a crash of the process; a power loss may cost the last ones, and kills the sandboxes
 * anyway.
 */
public final class Database implements AutoCloseable {
  private static final int READERS = 4;

  private final HikariDataSource pool;
  private final Jdbi readers;
  private final Writes writes;

  private Database(HikariDataSource pool, Writes writes) {
    this.pool = pool;
    this.readers = Jdbi.create(pool);
    this.writes = writes;
  }

  /** Opens or creates the file, readable by its owner alone, and brings its tables up to date. */
  public static Database open(Path file) {
    try {
      NativeLibrary.unpackTo(file.resolveSibling("native"));
      if (Files.notExists(file)) {
        Files.createFile(
            file,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      }
    } catch (IOException e) {
      throw DsecException.of(ErrorCode.INTERNAL, "cannot create the database " + file + ": " + e)
          .withCause(e);
    }
    SQLiteDataSource source = source(file);
    Flyway.configure()
        .dataSource(source)
        .locations("classpath:db/migration")
        .loggers("slf4j")
        .load()
        .migrate();
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setPoolName("dsec-store-readers");
    config.setMaximumPoolSize(READERS);
    config.setMinimumIdle(1);
    return new Database(new HikariDataSource(config), new Writes(Jdbi.create(source).open()));
  }

  public Writes writes() {
    return writes;
  }

  public <T> T read(Function<Handle, T> query) {
    return readers.withHandle(query::apply);
  }

  @Override
  public void close() {
    writes.close();
    pool.close();
  }

  private static SQLiteDataSource source(Path file) {
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.NORMAL);
    config.setBusyTimeout(10_000);
    config.setCacheSize(-16_000);
    SQLiteDataSource source = new SQLiteDataSource(config);
    source.setUrl("jdbc:sqlite:" + file);
    return source;
  }
}
