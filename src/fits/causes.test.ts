import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { write } from '../base/statement.js';
import type { Finding } from '../inference/diagnostics/findings.js';
import { CAUSE_SENTENCES, causesOf } from './causes.js';

const COLUMNS = ['lp__', 'a', 'c.1', 'c.2', 'b', 'sum'];
const OUTPUTS = [
  ...['a', 'c', 'b'].map((name) => ({ name, block: 'parameters' as const })),
  { name: 'sum', block: 'transformed parameters' as const },
];
/** A drift of a, which c[1] and c[2] compensate. */
const drift = Float64Array.from({ length: 200 }, (_, i) => i);
const noise = Float64Array.from({ length: 200 }, (_, i) => Math.sin(7 * i));
const source = {
  columns: COLUMNS,
  outputs: OUTPUTS,
  columnAt: (place: number) => [
    [noise, drift, drift.map((x, i) => -x + noise[i]), drift.map((x, i) => 2 * noise[i] - x), noise, drift][place],
  ],
};

const found = (check: Finding['check'], names: readonly string[], ok = false): Finding => ({
  check,
  ok,
  message: '',
  statements: [],
  concerns: names.map((name) => ({ name, value: 2 })),
});
const texts = (...given: Parameters<typeof causesOf>) =>
  causesOf(...given).map(({ names, statement }) => [write(CAUSE_SENTENCES, [statement]), names]);

describe('likely causes', () => {
  it('are parameters without a prior on which the chains disagree', () => {
    assert.deepEqual(texts([found('rhat', ['b'])], source, ['a', 'b']), [
      [
        'The chains do not agree on b, and the program has no prior for it. Add a prior on the scale of plausible values.',
        ['b'],
      ],
    ]);
  });

  it('are parameters whose correlation is close to -1 or 1', () => {
    const [cause] = texts([found('rhat', ['sum', 'a', 'c[1]', 'c[2]', 'b'])], source, []);
    assert.match(String(cause?.[0]), /^The correlation of a and c\[1\] is -1\.00: /);
    assert.deepEqual(cause?.[1], ['a', 'c[1]', 'c[2]']);
  });

  it('exist only for problems', () => {
    assert.deepEqual(texts([found('rhat', ['a', 'c[1]'], true)], source, ['a']), []);
    assert.deepEqual(texts([found('divergences', ['chain 1'])], source, ['a']), []);
  });
});
