/** Runs test files, each in its own process. */
import { availableParallelism, cpus, freemem } from 'node:os';
import { run } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ProcessorTimes } from './processor-times.mjs';

/** Milliseconds between two looks at the processors, and before the load of a started file is visible. */
const INTERVAL = 500;
const SETTLED = 3000;
/** Share of idle processor time above which another file starts. */
const IDLE = 0.08;
/** Bytes of free memory below which it does not: files with a browser and a server need up to a gigabyte. */
const FREE = 2 ** 31;

/**
 * Yields the events of Node's test runner, all those of a file when it ends, and at the end the sums of the numbers that it reports for each
 * file. As many files run concurrently as there are processors, and up to twice as many and one more while processors are idle, because many
 * files wait for servers and browsers. `noteFile` receives the path, the seconds and the processor seconds of each file.
 */
export async function* runFiles(files, { timeout, noteFile }) {
  const start = performance.now();
  const waiting = [...files];
  const running = new Map();
  const totals = new Map();
  const processors = new Processors();
  const times = new ProcessorTimes();
  while (waiting.length + running.size > 0) {
    if (waiting.length > 0 && processors.areFreeFor(running.size)) {
      const file = waiting.shift();
      running.set(file, eventsOf(file, timeout));
      processors.noteStart();
      continue;
    }
    const ended = await Promise.race([...running.values(), pause(INTERVAL)]);
    times.sample([...running.keys()]);
    if (ended === undefined) continue;
    running.delete(ended.file);
    noteFile(ended.file, ended.seconds, times.secondsOf(ended.file));
    for (const event of ended.events) if (!addTotal(totals, event)) yield event;
  }
  totals.set('duration_ms', performance.now() - start);
  for (const [name, value] of totals)
    yield { type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${value}` } };
}

async function eventsOf(file, timeout) {
  const start = performance.now();
  const events = [];
  for await (const event of run({ files: [file], timeout })) events.push(event);
  return { file, events, seconds: (performance.now() - start) / 1000 };
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

  /** Whether another file may start beside those that run. */
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
