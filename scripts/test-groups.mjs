/** Runs groups of test files, each group in its own process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ProcessorTimes } from './processor-times.mjs';

/** Milliseconds between two looks at the processors, and before the load of a started group is visible. */
const INTERVAL = 500;
const SETTLED = 3000;
/** Share of idle processor time above which another group starts. */
const IDLE = 0.08;
/** Bytes of free memory below which it does not: files with a browser and a server need up to a gigabyte. */
const FREE = 2 ** 31;

/**
 * Yields the events of Node's test runner, all those of a group when it ends, and at the end the sums of the numbers that it reports for each
 * group. As many groups run concurrently as there are processors, and up to twice as many and one more while processors are idle, because many
 * files wait for servers and browsers. `noteGroup` receives the group's name, its seconds and its processor seconds.
 *
 * @param groups Names with paths of test files
 */
export async function* runGroups(groups, { timeout, noteGroup }) {
  const start = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-tests-'));
  const waiting = groups.map(({ name, files }, index) => ({ name, entry: entryOf(files, folder, index) }));
  const running = new Map();
  const totals = new Map();
  const processors = new Processors();
  const times = new ProcessorTimes();
  try {
    while (waiting.length + running.size > 0) {
      if (waiting.length > 0 && processors.areFreeFor(running.size)) {
        const group = waiting.shift();
        running.set(group.entry, eventsOf(group, timeout));
        processors.noteStart();
        continue;
      }
      const ended = await Promise.race([...running.values(), pause(INTERVAL)]);
      times.sample([...running.keys()]);
      if (ended === undefined) continue;
      running.delete(ended.entry);
      noteGroup(ended.name, ended.seconds, times.secondsOf(ended.entry));
      for (const event of ended.events) if (!addTotal(totals, event)) yield event;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  totals.set('duration_ms', performance.now() - start);
  for (const [name, value] of totals)
    yield { type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${value}` } };
}

/** The file to run: the only one, or one that imports all. */
function entryOf(files, folder, index) {
  const [only, ...others] = files;
  if (others.length === 0) return only;
  const entry = join(folder, `${index}.test.mjs`);
  writeFileSync(entry, files.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`).join(''));
  return entry;
}

async function eventsOf({ name, entry }, timeout) {
  const start = performance.now();
  const events = [];
  for await (const event of run({ files: [entry], timeout })) events.push(event);
  return { name, entry, events, seconds: (performance.now() - start) / 1000 };
}

/** Adds one of the numbers that the test runner reports at the end of a run; false for other events. */
function addTotal(totals, { type, data }) {
  if (type === 'test:summary') return true;
  const [, name, value] =
    /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) ([\d.]+)$/.exec(data.message) ?? [];
  if (type !== 'test:diagnostic' || data.nesting !== 0 || name === undefined) return false;
  totals.set(name, (totals.get(name) ?? 0) + Number(value));
  return true;
}

/** The load of the machine's processors. */
class Processors {
  count = availableParallelism();
  /** Of all processors since they started. */
  before = idleTime();
  since = performance.now();

  noteStart() {
    this.before = idleTime();
    this.since = performance.now();
  }

  /** Whether another group may start beside those that run. */
  areFreeFor(running) {
    if (running < this.count) return true;
    if (running > 2 * this.count || freemem() < FREE || performance.now() - this.since < SETTLED) return false;
    const { before } = this;
    const now = idleTime();
    this.noteStart();
    return now.idle - before.idle > IDLE * (now.total - before.total);
  }
}

function idleTime() {
  const sums = { idle: 0, total: 0 };
  for (const { times } of cpus()) {
    sums.idle += times.idle;
    sums.total += times.idle + times.user + times.nice + times.sys + times.irq;
  }
  return sums;
}
