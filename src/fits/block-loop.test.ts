import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BlockDraws } from './block-decision.js';
import { type Block, runBlocks } from './block-loop.js';

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
