import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tableFromArrays } from 'apache-arrow';
import { arrowDraws } from '../fits/arrow-draws.js';
import type { FitContents } from './fit.js';
import { columnFile, csvFile, importedContents, importRemarks } from './imported-draws.js';
import { savedFitText } from './saved-fit.js';

const STATE = {
  metric: 'dense_e',
  stepsize: 0.5,
  inverseMetric: [1, 0.1, 0.1, 2],
  names: ['x', 'y'],
  end: {
    seed: 1,
    position: [0.5, 2],
    logDensity: -1,
    iterations: 4,
    random: [1, 2, 3, 4],
    generated: [1, 2, 3, 4, 5, 6, 7, 8],
    arguments: { max_depth: 8 },
  },
} as const;

const CONTENTS: FitContents = {
  program: 'two',
  asked: {
    function: 'stan::services::sample::hmc_nuts_dense_e_adapt',
    arguments: {
      max_depth: 8,
      inv_metric: [
        [1, 0],
        [0, 1],
      ],
      adapt_engaged: true,
    },
    random_seed: 7,
    created: '2025-01-02T03:04:05.000Z',
    until: { ess_bulk: 400, block: 100 },
  },
  outputs: [{ name: 'x', block: 'parameters' }],
  stopped: {
    reason: 'max_iterations',
    iterations: 2,
    shortfall: { quantity: 'x', statistic: 'ess_bulk', value: Number.NaN, limit: 400 },
  },
  columns: ['lp__', 'x'],
  diagnosticColumns: ['x', 'p_x'],
  chains: [4, 5].map((id) => ({
    id,
    warmup: 1,
    draws: 2,
    values: Float64Array.of(-1, id, -2, 0.5, Number.NaN, Number.NEGATIVE_INFINITY),
    diagnostics: Float64Array.of(1, 2, 3, 4, 5, id),
    initial: Float64Array.of(0.5, 1),
    adapted: {
      stepsize: 0.5,
      inv_metric: [
        [1, 0.1],
        [0.1, 2],
      ],
    },
    state: STATE,
    comments: [
      { before: 1, event: { kind: 'remark', chain: id, text: 'Adaptation terminated' } },
      { before: 3, event: { kind: 'log', chain: id, level: 'info', text: ' Elapsed Time: 0.1 seconds (Warm-up)' } },
    ],
  })),
};
const SOURCE = { name: 'two', program: 'parameters { real x; }', includes: { 'a.stan': 'real a;' } };

/** The table of a saved fit. */
function saved(text: string) {
  const column = (place: number, of: 'values' | 'diagnostics') =>
    Float64Array.from(CONTENTS.chains.flatMap((chain) => [0, 1, 2].map((row) => chain[of][2 * row + place])));
  const table = tableFromArrays({
    chain__: Int32Array.of(4, 4, 4, 5, 5, 5),
    lp__: column(0, 'values'),
    x: column(1, 'values'),
    'diagnostic__.x': column(0, 'diagnostics'),
    'diagnostic__.p_x': column(1, 'diagnostics'),
  });
  table.schema.metadata.set('leapfrog', text);
  return arrowDraws(table);
}

describe('a saved fit', () => {
  it('has everything that a fit has, with its program and data', () => {
    const found = columnFile(
      'fit.arrow',
      saved(savedFitText(CONTENTS, { source: SOURCE, data: '{"N":1}', isWhole: false })),
    );
    assert.deepEqual(importedContents([found], ''), CONTENTS);
    const { data, isWhole, source } = found.saved ?? assert.fail();
    assert.deepEqual({ data, isWhole, source }, { data: '{"N":1}', isWhole: false, source: SOURCE });
  });

  it('is opened without a program, data, or a sampler', () => {
    const chains = CONTENTS.chains.map((chain) => ({
      ...chain,
      adapted: undefined,
      initial: undefined,
      state: undefined,
      comments: [],
    }));
    const { stopped: _stopped, ...rest } = CONTENTS;
    const contents = { ...rest, chains };
    const found = columnFile(
      'fit.arrow',
      saved(savedFitText(contents, { source: undefined, data: undefined, isWhole: true })),
    );
    assert.deepEqual(importedContents([found], ''), contents);
    assert.equal(found.saved?.source, undefined);
  });

  it('of a later format is refused, and damaged members are left out', () => {
    const text = savedFitText(CONTENTS, { source: SOURCE, data: undefined, isWhole: true });
    assert.throws(
      () => columnFile('fit.arrow', saved(text.replace('"saved_fit":1', '"saved_fit":2'))),
      /later version/,
    );
    const record: object = JSON.parse(text);
    const chains = [{ chain: 4, state: 3, initial: 'a', comments: [{}, 3], adapted: {} }, null];
    const damaged = { ...record, chains, source: 3, stopped: {}, diagnostic_columns: {}, until: 1 };
    const { saved: read, chains: found } = columnFile('fit.arrow', saved(JSON.stringify(damaged)));
    assert.deepEqual([read?.source, read?.stopped, read?.asked.until], [undefined, undefined, undefined]);
    assert.deepEqual(found.find(({ id }) => id === 4)?.comments, []);
  });
});

describe('a fit of CSV files', () => {
  const csv = (id: number, x: string) =>
    [
      '# method = sample',
      `# id = ${id}`,
      '# seed = 3',
      'lp__,x',
      '# Adaptation terminated',
      '# Step size = 0.5',
      '# Elements of inverse mass matrix:',
      '# 1, 0.1',
      '# 0.1, 2',
      `-1,${x}`,
      '',
    ].join('\n');

  it('has one chain for each file, with step size and metric', () => {
    const found = [csvFile('a.csv', csv(1, '0.5'), 1), csvFile('b.csv', csv(2, '1.5'), 2)];
    const { chains, columns } = importedContents(found, '');
    assert.deepEqual(columns, ['lp__', 'x']);
    assert.deepEqual(
      chains.map(({ id, values }) => [id, ...values]),
      [
        [1, -1, 0.5],
        [2, -1, 1.5],
      ],
    );
    assert.deepEqual(chains[1].adapted, {
      stepsize: 0.5,
      inv_metric: [
        [1, 0.1],
        [0.1, 2],
      ],
    });
    assert.match(importRemarks(found).join(), /only 1 of|^$/);
  });
});
