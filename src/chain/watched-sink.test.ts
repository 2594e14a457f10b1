import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runIterations } from '../inference/algorithms/iterations.js';
import { SILENT } from '../inference/silent.js';
import type { RunProgress } from './request.js';
import { WatchedSink } from './watched-sink.js';

const nothing = () => undefined;

test('a chain reports its iterations during warmup, without draws and progress messages', () => {
  let gradients = 0;
  const reports: RunProgress[] = [];
  const sink = new WatchedSink(
    SILENT,
    [],
    () => gradients,
    (progress) => reports.push(progress),
  );
  const transition = () => {
    gradients += 7;
    return undefined;
  };
  const plan = { phase: 'warmup', count: 40, before: 0, total: 100, thin: 1, refresh: 0, save: false } as const;
  runIterations(plan, sink, () => false, transition, nothing);
  sink.flush();
  const [first] = reports;
  assert.deepEqual([first.iteration, first.iterations, first.gradients, first.draws], [1, 100, 7, 0]);
  const last = reports.at(-1);
  assert.deepEqual([last?.iteration, last?.iterations, last?.gradients], [40, 100, 280]);
  assert.ok(reports.every(({ progress }) => progress === undefined));
});
