// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.files;

import io.dsec.link.FileContent;
import io.dsec.link.FilePage;
import io.dsec.link.FileRange;
import io.dsec.link.FileWatch;
import io.dsec.link.SandboxFiles;
import io.dsec.model.Bytes;
import io.dsec.model.FileEntry;
import io.dsec.node.exec.AppletStream;
import io.dsec.proto.files.ChangeMode;
import io.dsec.proto.files.ChangeOwner;
import io.dsec.proto.files.List;
import io.dsec.proto.files.MakeDirectory;
import io.dsec.proto.files.Move;
import io.dsec.proto.files.Pack;
import io.dsec.proto.files.Read;
import io.dsec.proto.files.Remove;
import io.dsec.proto.files.Reply;
import io.dsec.proto.files.Request;
import io.dsec.proto.files.Stat;
import io.dsec.proto.files.Unpack;
import io.dsec.proto.files.Watch;
import io.dsec.proto.files.Write;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Files of a sandbox by its guest. What is small goes to the user's agent; transfers, watches and
 * whole trees have an applet of their own, so that they never hold up the agent.
 */
public final class GuestFiles implements SandboxFiles {
  /** Content up to this travels with the request or its answer. */
  static final int SMALL = 256 << 10;

  /** A tree may be large: nothing is heard meanwhile. */
  private static final Optional<Duration> WHOLE_TREE = Optional.of(Duration.ofMinutes(10));

  private static final byte[] NOTHING = new byte[0];

  private final FileAgents agents;
  private final Optional<String> user;

  public GuestFiles(FileAgents agents, Optional<String> user) {
    this.agents = agents;
    this.user = user;
  }

  private Reply ask(Request.Builder request, Reply.BodyCase expected, boolean again) {
    return checked(agents.ask(user, request.build(), again), expected);
  }

  private static Reply checked(Reply reply, Reply.BodyCase expected) {
    if (reply.hasFailed()) {
      throw FileErrors.of(reply.getFailed());
    }
    if (reply.getBodyCase() != expected) {
      throw FileAgents.lost(new IOException("it answered with " + reply.getBodyCase()));
    }
    return reply;
  }

  /** The first answer over an applet of its own, closed again when that is a failure. */
  private Reply begin(AppletStream applet, Request.Builder request, Reply.BodyCase expected) {
    try {
      FileFrames.send(applet, request.build());
      return checked(FileFrames.receive(applet), expected);
    } catch (IOException e) {
      applet.close();
      throw FileAgents.lost(e);
    } catch (RuntimeException e) {
      applet.close();
      throw e;
    }
  }

  @Override
  public FileEntry stat(Bytes path, boolean follow) {
    Stat.Builder stat = Stat.newBuilder().setPath(Entries.bytes(path)).setFollow(follow);
    Request.Builder request = Request.newBuilder().setStat(stat);
    return Entries.of(ask(request, Reply.BodyCase.ENTRY, true).getEntry());
  }

  @Override
  public FileContent read(Bytes path, FileRange range) {
    Read.Builder read =
        Read.newBuilder()
            .setPath(Entries.bytes(path))
            .setFrom(range.from())
            .setCount(range.count())
            .setMost(SMALL);
    Request.Builder request = Request.newBuilder().setRead(read);
    Reply reply = ask(request, Reply.BodyCase.OPENED, true);
    try {
      if (!reply.getOpened().getTooLong()) {
        return ReadContent.of(reply.getOpened(), null);
      }
      return large(request.setRead(read.setMost(Long.MAX_VALUE)));
    } catch (IOException e) {
      throw FileAgents.lost(e);
    }
  }

  private FileContent large(Request.Builder read) throws IOException {
    AppletStream applet = agents.open(user, FileAgents.PATIENCE);
    Reply reply = begin(applet, read, Reply.BodyCase.OPENED);
    try {
      return ReadContent.of(reply.getOpened(), applet);
    } catch (IOException e) {
      applet.close();
      throw e;
    }
  }

  @Override
  public FileEntry write(Bytes path, OptionalInt mode, InputStream content) throws IOException {
    byte[] head = content.readNBytes(SMALL + 1);
    Write.Builder write = Write.newBuilder().setPath(Entries.bytes(path));
    mode.ifPresent(bits -> write.setMode(bits).setWithMode(true));
    if (head.length <= SMALL) {
      write.setData(com.google.protobuf.UnsafeByteOperations.unsafeWrap(head)).setComplete(true);
      Request.Builder request = Request.newBuilder().setWrite(write);
      return Entries.of(ask(request, Reply.BodyCase.ENTRY, true).getEntry());
    }
    Reply reply = transfer(Request.newBuilder().setWrite(write), head, content);
    return Entries.of(checked(reply, Reply.BodyCase.ENTRY).getEntry());
  }

  /** Sends content to an applet of its own and returns its last word. */
  private Reply transfer(Request.Builder request, byte[] head, InputStream content)
      throws IOException {
    AppletStream applet = agents.open(user, FileAgents.PATIENCE);
    Reply _ = begin(applet, request, Reply.BodyCase.READY);
    try {
      boolean _ = Upload.send(applet, head, content);
    } catch (IOException e) {
      applet.hangUp(); // it sees the cut and undoes what it has begun
      throw e;
    } catch (RuntimeException e) {
      applet.close();
      throw e;
    }
    try (applet) {
      return FileFrames.receive(applet);
    } catch (IOException e) {
      throw FileAgents.lost(e);
    }
  }

  @Override
  public FilePage list(Bytes path, Bytes after, int limit) {
    List.Builder list =
        List.newBuilder()
            .setPath(Entries.bytes(path))
            .setAfter(Entries.bytes(after))
            .setLimit(limit);
    Reply reply = ask(Request.newBuilder().setList(list), Reply.BodyCase.LISTING, true);
    return new FilePage(
        reply.getListing().getEntriesList().stream().map(Entries::of).toList(),
        reply.getListing().getMore());
  }

  @Override
  public FileEntry makeDirectory(Bytes path, int mode, boolean parents) {
    MakeDirectory.Builder make =
        MakeDirectory.newBuilder().setPath(Entries.bytes(path)).setMode(mode).setParents(parents);
    Request.Builder request = Request.newBuilder().setMakeDirectory(make);
    return Entries.of(ask(request, Reply.BodyCase.ENTRY, parents).getEntry());
  }

  @Override
  public FileEntry move(Bytes from, Bytes to, boolean keep) {
    Move.Builder move =
        Move.newBuilder().setFrom(Entries.bytes(from)).setTo(Entries.bytes(to)).setKeep(keep);
    Request.Builder request = Request.newBuilder().setMove(move);
    return Entries.of(ask(request, Reply.BodyCase.ENTRY, false).getEntry());
  }

  @Override
  public void remove(Bytes path, boolean recursive) {
    Remove.Builder remove =
        Remove.newBuilder().setPath(Entries.bytes(path)).setRecursive(recursive);
    done(Request.newBuilder().setRemove(remove), recursive, false);
  }

  @Override
  public void changeMode(Bytes path, int mode, boolean recursive) {
    ChangeMode.Builder change =
        ChangeMode.newBuilder().setPath(Entries.bytes(path)).setMode(mode).setRecursive(recursive);
    done(Request.newBuilder().setChangeMode(change), recursive, true);
  }

  @Override
  public void changeOwner(Bytes path, String owner, boolean recursive) {
    ChangeOwner.Builder change =
        ChangeOwner.newBuilder()
            .setPath(Entries.bytes(path))
            .setOwner(owner)
            .setRecursive(recursive);
    done(Request.newBuilder().setChangeOwner(change), recursive, true);
  }

  private void done(Request.Builder request, boolean tree, boolean again) {
    if (!tree) {
      Reply _ = ask(request, Reply.BodyCase.DONE, again);
      return;
    }
    try (AppletStream applet = agents.open(user, WHOLE_TREE)) {
      Reply _ = begin(applet, request, Reply.BodyCase.DONE);
    }
  }

  @Override
  public FileWatch watch(Bytes path, boolean recursive) {
    AppletStream applet = agents.open(user, Optional.empty());
    Watch.Builder watch = Watch.newBuilder().setPath(Entries.bytes(path)).setRecursive(recursive);
    Reply _ = begin(applet, Request.newBuilder().setWatch(watch), Reply.BodyCase.READY);
    return new GuestWatch(applet);
  }

  @Override
  public InputStream pack(Bytes path) {
    AppletStream applet = agents.open(user, FileAgents.PATIENCE);
    Pack.Builder pack = Pack.newBuilder().setPath(Entries.bytes(path));
    Reply _ = begin(applet, Request.newBuilder().setPack(pack), Reply.BodyCase.READY);
    return ReadContent.pieces(applet);
  }

  @Override
  public long unpack(Bytes path, InputStream archive) throws IOException {
    Unpack.Builder unpack = Unpack.newBuilder().setPath(Entries.bytes(path));
    Reply reply = transfer(Request.newBuilder().setUnpack(unpack), NOTHING, archive);
    return checked(reply, Reply.BodyCase.DONE).getDone().getCount();
  }
}
