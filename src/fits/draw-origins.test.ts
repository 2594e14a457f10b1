import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvOrigin, differencesOf, type Origin } from './draw-origins.js';

const HEAD = [
  '# model = eight_schools_model',
  '# run_id = 7c1f',
  '# method = sample (Default)',
  '# id = 2',
  '# data',
  '#   file = schools.json',
  '# output',
  '#   file = draws.csv',
];
const differences = (...origins: readonly Origin[]) =>
  differencesOf(origins.map((origin, k) => ({ path: `${'abc'[k]}.csv`, origin, draws: 10 })));

describe('the origin of draws', () => {
  it('is read from the head of a CSV file', () => {
    const known = { program: 'eight_schools', method: 'sample', run: '7c1f', data: 'schools.json' };
    assert.deepEqual(csvOrigin(HEAD, 1), { ...known, chain: '2' });
    assert.deepEqual(csvOrigin(HEAD, 4), { ...known, chain: undefined });
    assert.equal(csvOrigin(['# data', '#   file =  (Default)'], 1).data, '');
  });

  it('is compared by the most important difference', () => {
    const [program] = differences({ program: 'a', run: '1' }, { program: 'b', run: '2' });
    assert.match(program, /^a\.csv and b\.csv are not .*different programs, a and b\.$/);
    const [method] = differences({ method: 'sample' }, { method: 'pathfinder' }, { method: 'sample' });
    assert.match(method, /^a\.csv, c\.csv and b\.csv are not .*different methods, sample and pathfinder\.$/);
    assert.match(differences({ data: 'x.json' }, { data: '' })[0], /different data, x\.json and none\.$/);
  });

  it('is the same for chains that CmdStan ran one by one, about which nothing else is known', () => {
    assert.deepEqual(differences({ program: 'a', chain: '1' }, { program: 'a', chain: '1' }, {}), []);
  });

  it('is followed by the length of the shortest chain, to which the others are cut', () => {
    const chains = [12, 9, 15].map((draws, k) => ({ path: `${'abc'[k]}.csv`, origin: {}, draws }));
    assert.deepEqual(differencesOf(chains), [
      'The chains differ in length: b.csv has 9 draws after warmup, c.csv has 15. Only the first 9 of each chain are used.',
    ]);
    assert.deepEqual(differencesOf(chains.slice(1, 2)), []);
  });
});
