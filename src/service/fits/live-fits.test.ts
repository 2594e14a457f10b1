import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { JournalWriter } from '../../fit-files/journal.js';
import { MessageSink } from '../../formats/message-sink.js';
import type { NonFinite } from '../../formats/numbers.js';
import type { Making } from '../queue/watched-journals.js';
import type { FollowJob } from '../threads/follow-job.js';
import { WorkerPool } from '../threads/pool.js';
import { type Following, GivenUp, LiveFits } from './live-fits.js';

const AS_MESSAGES: Following = { text: 'messages', style: 'string' };
const REMEMBERED = 2 ** 21;
const NEVER = new AbortController().signal;

describe('a fit in progress', () => {
  let pool: WorkerPool;
  let folder: string;
  let jobs: FollowJob[];
  /** Results of worker threads. */
  let rendered: Set<ArrayBufferLike>;
  let live: LiveFits;
  let state: Making;
  /** The messages of each chain, as a sink writes them. */
  let expected: Map<number, string>;

  before(() => {
    pool = new WorkerPool({ size: 1, memoryMebibytes: 128 });
  });
  after(() => pool.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-follow-'));
    jobs = [];
    rendered = new Set();
    live = new LiveFits(async (job) => {
      jobs.push(job);
      const result = await pool.run(job);
      assert.ok(result.kind === 'followed' || result.kind === 'not followed');
      if (result.kind === 'followed') for (const { buffer } of result.slices) rendered.add(buffer);
      return result;
    }, REMEMBERED);
    state = 'in progress';
    expected = new Map();
  });
  afterEach(() => rm(folder, { recursive: true }));

  interface Begun {
    readonly journal: JournalWriter;
    write(draws: number): void;
  }

  /** A chain with `columns` columns, whose journal grows on demand. */
  function begin(chain: number, columns: number, style: NonFinite = 'string'): Begun {
    const drawNames = ['lp__', ...Array.from({ length: columns }, (_, k) => `x.${k + 1}`)];
    const header = { drawNames, diagnosticNames: ['lp__', 'p_x'], chain };
    const journal = new JournalWriter(join(folder, `chain-${chain}.journal`), header);
    expected.set(chain, '');
    const add = (line: string) => expected.set(chain, (expected.get(chain) ?? '') + line);
    const messages = new MessageSink({ ...header, nonFinite: style }, add);
    const logged = new MessageSink({ ...header, nonFinite: 'string' }, (line) => journal.addLine(line));
    const position = Float64Array.of(Number.NaN, -0.5);
    let written = 0;
    const write = (draws: number) => {
      if (written === 0) {
        messages.initialization(position);
        journal.addNumbers('initialization', position);
      }
      for (let k = 0; k < draws; k++, written++) {
        const values = Float64Array.from(drawNames, (_, i) => (i % 7 === 6 ? Number.NaN : (written + 1) / (i + 3)));
        if (written % 10 === 0) for (const sink of [messages, logged]) sink.log('info', `Iteration: ${written}`);
        messages.draw(values);
        journal.addNumbers('draw', values);
        if (written % 3 === 2) continue;
        const diagnostic = Float64Array.of(-written, Number.NEGATIVE_INFINITY);
        messages.diagnostic(diagnostic);
        journal.addNumbers('diagnostic', diagnostic);
      }
    };
    return { journal, write };
  }

  const follow = async (following: Following = AS_MESSAGES, gone = NEVER) => {
    const slices = await live.follow({ folder, state: () => state }, following, gone);
    assert.ok(slices);
    return slices;
  };

  async function textOf(slices: AsyncGenerator<Uint8Array>): Promise<string> {
    const all: Uint8Array[] = [];
    for await (const slice of slices) {
      assert.ok(slice.length === 0 || rendered.has(slice.buffer), 'shared, and rendered by a worker');
      all.push(slice);
    }
    return Buffer.concat(all).toString();
  }

  test('is followed in every chain, with the bytes that a sink writes', async () => {
    for (const chain of [1, 2]) {
      const { journal, write } = begin(chain, 3);
      write(50);
      journal.close();
    }
    state = 'finished';
    // A finished fit cannot be followed, so this one ends just after it was opened.
    let asked = 0;
    const slices = await live.follow(
      { folder, state: () => (asked++ > 0 ? state : 'in progress') },
      AS_MESSAGES,
      NEVER,
    );
    assert.ok(slices);
    assert.equal(await textOf(slices), `${expected.get(1)}${expected.get(2)}`);
  });

  test('is rendered once for all followers, off the event loop', async () => {
    const { journal, write } = begin(1, 300);
    write(200);
    const followers = await Promise.all(Array.from({ length: 20 }, () => follow()));
    const texts = followers.map(textOf);
    for (let k = 0; k < 3; k++) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      write(100);
    }
    journal.close();
    state = 'finished';
    for (const text of await Promise.all(texts)) assert.equal(text, expected.get(1));
    const asked = jobs.map(({ from, skip }) => `${from} ${skip}`);
    assert.deepEqual(asked, [...new Set(asked)]);
    assert.ok(asked.length > 10);
  });

  test('buffers one slice for a slow follower, and continues from the journal when the slice is evicted', async () => {
    const { journal, write } = begin(1, 500);
    write(100);
    const slow = await follow();
    const begun = await slow.next();
    assert.equal(begun.done, false);
    write(300);
    journal.close();
    state = 'finished';
    const whole = expected.get(1) ?? '';
    assert.ok(whole.length > 1.5 * REMEMBERED, 'more than the cache holds');
    assert.equal(await textOf(await follow()), whole);
    const before = jobs.length;
    assert.equal(Buffer.from(begun.value ?? []).toString() + (await textOf(slow)), whole);
    assert.ok(jobs.length > before);
  });

  test('is cut at the same positions if rows are longer than a part of a piece', async () => {
    const { journal, write } = begin(1, 40_000);
    write(3);
    journal.close();
    const following = await follow();
    const text = textOf(following);
    state = 'finished';
    assert.equal(await text, expected.get(1));
    assert.ok(jobs.some(({ skip }) => skip > 0));
  });

  test('is followed with some columns, without diagnostics', async () => {
    const { journal, write } = begin(1, 8);
    write(30);
    journal.close();
    const text = textOf(await follow({ ...AS_MESSAGES, style: 'literal', variables: 'x.6,lp__' }));
    state = 'finished';
    const draws = (await text).split('\n').filter((line) => line.includes('"values":{'));
    assert.equal(draws.length, 30);
    assert.equal(draws[0], '{"version":1,"topic":"sample","values":{"lp__":0.3333333333333333,"x.6":NaN},"chain":1}');
  });

  test('reports unknown variables before the response begins', async () => {
    const { write } = begin(1, 2);
    write(1);
    await assert.rejects(follow({ ...AS_MESSAGES, chain: 3 }), /\/chain must be one of 1/);
    await assert.rejects(
      follow({ ...AS_MESSAGES, variables: 'x,y' }),
      /\/variables names y, which the fit lacks; it has lp__, x/,
    );
  });

  test('is also sent as events, which contain only the draws', async () => {
    const { journal, write } = begin(1, 2);
    write(20);
    journal.close();
    const text = textOf(await follow({ text: 'draw events', style: 'string' }));
    state = 'finished';
    const draws = (expected.get(1) ?? '').split('\n').filter((line) => line.includes('"topic":"sample","values":{'));
    assert.equal(await text, draws.map((line) => `event: draw\ndata: ${line}\n\n`).join(''));
  });

  test('ends the stream if it is abandoned', async () => {
    begin(1, 2).journal.close();
    const text = textOf(await follow());
    state = 'given up';
    await assert.rejects(text, GivenUp);
  });

  test('is released when its client is gone, even without events', async () => {
    begin(1, 2).journal.close();
    const gone = new AbortController();
    const text = textOf(await follow(AS_MESSAGES, gone.signal));
    gone.abort();
    assert.equal(await text, '');
  });

  test('is not followed once its journals are removed, because it is almost finished', async () => {
    for (const chain of [1, 2]) begin(chain, 2).journal.close();
    await writeFile(join(folder, 'fit.json'), '{}');
    await rm(join(folder, 'chain-1.journal'));
    let asked = 0;
    const making = { folder, state: (): Making => (asked++ > 0 ? 'finished' : 'in progress') };
    assert.equal(await live.follow(making, AS_MESSAGES, NEVER), undefined);
  });
});
