// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

/** Brings each call to the owner it is for. Connected once, before any sandbox is taken up. */
public final class OwnerRouter implements Owners {
  private volatile Owners tasks = new Nobody();
  private volatile Owners batches = new Nobody();

  public void connect(Owners newTasks, Owners newBatches) {
    tasks = newTasks;
    batches = newBatches;
  }

  @Override
  public void running(Sandbox sandbox) {
    of(sandbox).running(sandbox);
  }

  @Override
  public void ended(Sandbox sandbox, TaskEnd end) {
    of(sandbox).ended(sandbox, end);
  }

  private Owners of(Sandbox sandbox) {
    return switch (sandbox.owner()) {
      case Owner.Task _ -> tasks;
      case Owner.BatchTask _ -> batches;
      case Owner.Client _ -> new Nobody();
    };
  }

  private static final class Nobody implements Owners {
    @Override
    public void running(Sandbox sandbox) {}

    @Override
    public void ended(Sandbox sandbox, TaskEnd end) {}
  }
}
