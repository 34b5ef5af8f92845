// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.launch;

import io.dsec.model.SandboxId;
import io.dsec.node.cgroup.SandboxGroups;
import io.dsec.node.disk.WritableLayer;
import io.dsec.node.idrange.IdRanges;
import io.dsec.node.image.Image;
import io.dsec.proto.launch.Bind;
import io.dsec.proto.launch.LaunchRequest;
import java.nio.file.Path;

/**
 * A sandbox to be made of parts that are ready.
 *
 * @param idBase first host id of its range
 * @param socket on which its init shall listen
 * @param dev host directory shown at /dev
 * @param shmBytes size of /dev/shm
 * @param forked its layer comes from another sandbox: it gets names of its own
 */
public record LaunchOrder(
    SandboxId id,
    String hostname,
    int idBase,
    Path socket,
    SandboxGroups groups,
    WritableLayer layer,
    Image image,
    Path dev,
    long shmBytes,
    boolean forked) {
  private static final long NOFILE = 65_536;

  LaunchRequest request() {
    LaunchRequest.Builder request =
        LaunchRequest.newBuilder()
            .setSandbox(id.value())
            .setHostname(hostname)
            .setIdBase(idBase)
            .setIdCount(IdRanges.SIZE)
            .setSocket(socket.toString())
            .setV2Group(groups.v2().toString())
            .setMemoryGroup(groups.memory().map(Path::toString).orElse(""))
            .setUpper(layer.upper().toString())
            .setWork(layer.work().toString())
            .setDev(dev.toString())
            .setShmBytes(shmBytes)
            .setNofile(NOFILE)
            .setForked(forked);
    groups.join().forEach(file -> request.addJoin(file.toString()));
    image.lowers().forEach(lower -> request.addLowers(lower.toString()));
    image.binds().forEach(bind -> request.addBinds(readOnly(bind)));
    return request.build();
  }

  private static Bind readOnly(Image.ImageBind bind) {
    return Bind.newBuilder()
        .setSource(bind.source().toString())
        .setTarget(bind.target())
        .setIdMapped(true)
        .build();
  }
}
