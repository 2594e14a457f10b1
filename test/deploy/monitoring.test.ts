/** Alert rules and dashboard in deploy/monitoring use only metrics that a server has. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { read } from '../project/tree.js';
import { TestServer } from '../service/harness.js';

const METRIC = /\b(?:leapfrog|process|nodejs)_[a-z0-9_]+\b/g;

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number };
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const dashboard: Dashboard = JSON.parse(read('deploy/monitoring/dashboard.json'));

/** Metrics that only servers of a cluster have. */
function isOfCluster(metric: string): boolean {
  return metric.startsWith('leapfrog_cluster_');
}

describe('deploy/monitoring', () => {
  it('names metrics that /metrics serves', async () => {
    const server = await TestServer.start();
    let served: string;
    try {
      await fetch(`${server.address}/v1/health`);
      served = await (await fetch(`${server.address}/metrics`)).text();
    } finally {
      await server.remove();
    }
    const names = new Set(Array.from(served.matchAll(/^(\w+)(?:\{| )/gm), ([, name]) => name));
    const documented = new Set(read('docs/reliability.md').match(METRIC) ?? []);
    const expressions = [
      ...Array.from(
        read('deploy/monitoring/alerts.yaml').matchAll(/expr: (\|\n(?: {10,}.*\n)+|.*\n)/g),
        ([, text]) => text,
      ),
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    const used = new Set(expressions.flatMap((text) => text.match(METRIC) ?? []));
    assert.ok(used.size >= 15, [...used].join());
    const isKnown = (metric: string) => (isOfCluster(metric) ? documented : names).has(metric);
    assert.deepEqual(
      [...used].filter((metric) => !isKnown(metric)),
      [],
    );
  });

  it('can show the free space of the disk', async () => {
    const server = await TestServer.start({ diskReserve: 1000 });
    try {
      const served = await (await fetch(`${server.address}/metrics`)).text();
      const bytes = (of: string) => Number(new RegExp(`^leapfrog_disk_bytes{of="${of}"} (.*)$`, 'm').exec(served)?.[1]);
      assert.equal(bytes('reserve'), 1000);
      assert.ok(bytes('free') > 1000);
    } finally {
      await server.remove();
    }
  });

  it('has a dashboard with one panel per place, and with each metric of the page', () => {
    const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x},${y}`);
    assert.equal(new Set(places).size, dashboard.panels.length);
    const text = JSON.stringify(dashboard);
    const [, table = ''] = /## Monitoring\n([\s\S]*?)\n\n[^|\n]*Logs are/.exec(read('docs/reliability.md')) ?? [];
    const metrics = new Set(table.match(METRIC) ?? []);
    metrics.delete('leapfrog_cluster_operations_waiting');
    assert.ok(metrics.size >= 8);
    assert.deepEqual(
      [...metrics].filter((metric) => !text.includes(metric)),
      [],
    );
  });
});
