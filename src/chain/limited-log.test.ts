import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventSink } from '../inference/events.js';
import { LimitedLog } from './limited-log.js';

const nothing = (): void => undefined;

function logged(write: (log: LimitedLog) => void, most: number): string[] {
  const lines: string[] = [];
  const sink: EventSink = {
    log: (level, text) => lines.push(`${level}: ${text}`),
    progress: nothing,
    iteration: nothing,
    initialization: nothing,
    adaptation: nothing,
    elapsed: nothing,
    remark: nothing,
    draw: nothing,
    diagnostic: nothing,
  };
  write(new LimitedLog(sink, most));
  return lines;
}

test('a chain keeps its first messages, the last error and the number of the others', () => {
  const lines = logged((log) => {
    for (let k = 0; k < 100; k++) log.log('error', `rejected ${k} ${'x'.repeat(2 ** 14)}`);
    log.log('info', 'one more');
    log.finish(5);
  }, 2 ** 20);
  assert.equal(lines.length, 64 + 3);
  assert.match(lines[63], /^error: rejected 63 x{1,16383}$/);
  assert.equal(lines[64], 'warn: Further messages are omitted: a chain keeps the first 1 MiB of its messages.');
  assert.match(lines[65], /^error: rejected 99 /);
  assert.equal(lines[66], 'warn: 42 further messages were omitted: a chain keeps the first 1 MiB of its messages.');
});

test('short messages count as 32 characters', () => {
  const lines = logged((log) => {
    for (let k = 0; k < 1000; k++) log.log('info', '');
    log.finish(0);
  }, 32 * 100);
  assert.equal(lines.length, 100 + 2);
});

test('messages below the limit are unchanged', () => {
  const lines = logged((log) => {
    log.log('info', 'a');
    log.finish(0);
  }, 2 ** 20);
  assert.deepEqual(lines, ['info: a']);
});
