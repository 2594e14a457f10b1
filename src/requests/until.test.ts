import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideAfter } from '../fits/block-decision.js';
import { quantitiesProblem } from './until.js';

const outputs = [
  { name: 'mu', block: 'parameters' },
  { name: 'theta', block: 'parameters' },
] as const;
const columns = ['lp__', 'mu', 'theta.1', 'theta.2'];

describe('the names in a rule', () => {
  it('are those of saved variables', () => {
    const names = (quantities: readonly string[], save?: readonly string[]) =>
      quantitiesProblem(quantities, outputs, save)?.message;
    assert.equal(names(['mu', 'theta[2]', 'lp__']), undefined);
    assert.equal(names(['mu', 'lp__'], ['mu']), undefined);
    assert.equal(names(['nu']), 'names nu, which draws do not have');
    assert.equal(names(['mu', 'theta[1]'], ['mu']), 'names theta[1], which save does not');
  });
});

describe('the decision after a block', () => {
  const limit = 100;
  const draws = (rhat: number) => ({
    columns,
    outputs,
    summarize: async (judged: readonly number[]) => judged.map((index) => ({ ...SUMMARY, name: columns[index], rhat })),
  });

  it('concerns the quantities of the rule', async () => {
    const judged: number[][] = [];
    const until = { rhat: 1.1, quantities: ['theta'] };
    const summarize = async (indexes: readonly number[]) => {
      judged.push([...indexes]);
      return [];
    };
    await decideAfter({ until, limit }, 10, { columns, outputs, summarize });
    assert.deepEqual(judged, [[2, 3]]);
  });

  it('is to stop if the draws are precise enough, or at the limit', async () => {
    const until = { rhat: 1.1 };
    const after = (iterations: number, rhat: number) => decideAfter({ until, limit }, iterations, draws(rhat));
    assert.deepEqual(await after(10, 1.05), { stopped: { reason: 'precise', iterations: 10 } });
    const shortfall = { quantity: 'lp__', statistic: 'rhat', value: 1.2, limit: 1.1 };
    assert.deepEqual(await after(10, 1.2), { shortfall: { iterations: 10, ...shortfall } });
    assert.deepEqual((await after(100, 1.2)).stopped, { reason: 'max_iterations', iterations: 100, shortfall });
  });

  it('is an error if no column has a quantity of the rule', async () => {
    const until = { rhat: 1.1, quantities: ['theta[9]'] };
    await assert.rejects(decideAfter({ until, limit }, 10, draws(1)), {
      name: 'RequestError',
      message: 'until/quantities matches no column of the draws: theta[9]',
    });
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
