import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunBlock } from '../chain/request.js';
import type { BlockDraws } from './block-decision.js';
import { type Block, execute, runBlocks, runChains } from './execute.js';

const fail = () => assert.fail('a chain failed');

describe('the chains of a run', () => {
  it('run in order, at most the given number concurrently', async () => {
    const [started, running]: [number[], Set<number>] = [[], new Set()];
    let greatest = 0;
    const run = async (chain: number) => {
      started.push(chain);
      running.add(chain);
      greatest = Math.max(greatest, running.size);
      await Promise.resolve();
      running.delete(chain);
      return 10 * chain;
    };
    assert.deepEqual(await runChains([1, 2, 3, 4, 5], run, { most: 2, fail }), [10, 20, 30, 40, 50]);
    assert.deepEqual([started, greatest], [[1, 2, 3, 4, 5], 2]);
  });

  it('run one after the other while they are short', async () => {
    const events: string[] = [];
    const run = async (chain: number) => {
      events.push(`start ${chain}`);
      await Promise.resolve();
      events.push(`end ${chain}`);
    };
    await runChains([1, 2, 3], run, { isLong: () => false, fail });
    assert.deepEqual(
      events,
      [1, 2, 3].flatMap((chain) => [`start ${chain}`, `end ${chain}`]),
    );
  });

  it('do not start after a failure, which the running ones may outlast', async () => {
    const [failure, stopped] = [new Error('the program failed'), new Error('stopped')];
    const [started, failures, stops]: [number[], unknown[], (() => void)[]] = [[], [], []];
    const run = async (chain: number) => {
      started.push(chain);
      if (chain === 2) throw failure;
      await new Promise<void>((resolve) => stops.push(resolve));
      throw stopped;
    };
    const note = (error: unknown) => {
      failures.push(error);
      for (const stop of stops) stop();
    };
    await assert.rejects(runChains([1, 2, 3], run, { most: 2, fail: note }), failure);
    assert.deepEqual(
      [started, failures],
      [
        [1, 2],
        [failure, stopped],
      ],
    );
    started.length = 0;
    const first = async (chain: number) => {
      started.push(chain);
      throw failure;
    };
    await assert.rejects(runChains([1, 2, 3], first, { isLong: () => false, fail: note }), failure);
    assert.deepEqual(started, [1]);
  });

  it('continue from the state of the previous block, without inputs', async () => {
    const seen: { inputs: object; block?: RunBlock }[] = [];
    const state = { metric: 'unit_e', stepsize: 1, inverseMetric: [] } as const;
    const seconds = { warmup: 1, sampling: 2 };
    const progress = { draws: 100, gradients: 700 };
    const decisions: object[] = [];
    const begun: number[] = [];
    const { ends, stopped } = await execute<{ inputs: object }>(
      [{ inputs: { init: 1 } }],
      { size: 100, limit: 150 },
      {
        run: async (chain) => {
          seen.push(chain);
          return { kind: 'finished', state, seconds };
        },
        fail,
        reports: () => [{ progress, isOver: false }],
        timeSoFar: () => assert.fail('the time is read'),
        begun: () => assert.fail('the time is read'),
        beginBlock: (index) => begun.push(index),
        draws: () => assert.fail('the draws are read'),
        noteDecision: (decision) => decisions.push(decision),
      },
    );
    assert.deepEqual(seen, [
      { inputs: { init: 1 }, block: { limit: 150, done: 0 } },
      { inputs: {}, block: { limit: 150, done: 100, from: state, before: progress, seconds } },
    ]);
    assert.deepEqual(
      [begun, decisions],
      [
        [0, 1],
        [{}, { isComplete: true }],
      ],
    );
    assert.deepEqual([ends, stopped], [[{ kind: 'finished', state, seconds }], undefined]);
  });
});

const unread = () => assert.fail('the draws are read');

/** Draws whose only column has these numbers as its R-hat. */
function drawsWith(rhat: number): BlockDraws {
  const summarize = async () => [{ ...SUMMARY, name: 'mu', rhat }];
  return { columns: ['mu'], outputs: [{ name: 'mu', block: 'parameters' }], summarize };
}

describe('the loop over blocks', () => {
  it('ends after the limit, without reading the draws, if there is no rule', async () => {
    const blocks: Block[] = [];
    const last = await runBlocks({ size: 100, limit: 250 }, (block, decide) => {
      blocks.push(block);
      return decide(unread);
    });
    assert.deepEqual(
      blocks.map(({ done }) => done),
      [0, 100, 200],
    );
    assert.deepEqual(last, { isComplete: true });
  });

  it('ends when the draws are precise enough, and at the limit otherwise', async () => {
    const run = (limit: number) =>
      runBlocks({ size: 100, limit, until: { rhat: 1.1 } }, ({ index }, decide) =>
        decide(() => drawsWith([1.3, 1.2, 1.0][index])),
      );
    assert.deepEqual(await run(1000), { stopped: { reason: 'precise', iterations: 300 } });
    const shortfall = { quantity: 'mu', statistic: 'rhat', value: 1.2, limit: 1.1 } as const;
    assert.deepEqual((await run(150)).stopped, { reason: 'max_iterations', iterations: 150, shortfall });
  });

  it('follows the decisions of another process', async () => {
    const decisions = [{}, { stopped: { message: 'Stopped.' } }];
    const last = await runBlocks({ size: 10, limit: 10, until: { rhat: 1.1 } }, async ({ index }) => decisions[index]);
    assert.deepEqual(last, decisions[1]);
  });
});

const SUMMARY = {
  mean: 0,
  mcseMean: 0.01,
  sd: 1,
  mcseSd: 0.01,
  q05: -1,
  q50: 0,
  q95: 1,
  essBulk: 400,
  essTail: 400,
  variation: 'within chains',
} as const;
