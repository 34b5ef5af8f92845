// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.link.Heartbeat;
import io.dsec.link.NodeEvents;
import io.dsec.link.SandboxReport;

/** Takes what nodes say of their own accord. What nobody here knows waits for the settlement. */
public final class EventSink implements NodeEvents {
  private final Catalog catalog;
  private final Endings endings;

  public EventSink(Catalog catalog, Endings endings) {
    this.catalog = catalog;
    this.endings = endings;
  }

  @Override
  public void changed(SandboxReport report) {
    catalog.live(report.id()).ifPresent(sandbox -> endings.report(sandbox, report));
  }

  @Override
  public void beat(Heartbeat heartbeat) {
    // the directory keeps the time; capacity is counted here
  }
}
