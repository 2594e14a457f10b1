import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { filesBelow } from '../project/tree.js';
import { Client } from '../support/client.js';
import { type Serving, serve } from '../support/serving.js';
import { faults } from './fitting.js';
import { studies } from './studies.js';

/** One fast program per chapter; guide.long.test.ts covers all. */
const QUICK = [
  'regression-linear',
  'slopes-centered',
  'series-autoregressive',
  'missing-outcomes',
  'truncation',
  'mixture-zeros',
  'latent-change-point',
  'process-marginal',
  'survival-proportional',
  'jacobian-scale',
  'complex-signal',
  'tuples',
  'simulation-based',
];

describe('the programs of the guide', () => {
  it('have one study each', () => {
    const programs = filesBelow('test/guide', '.stan').map((path) => path.replace(/^.*\/|\.stan$/g, ''));
    assert.deepEqual(studies.map(({ program }) => program).sort(), programs);
  });
});

describe('fits of simulated data', () => {
  let server: Serving;
  before(async () => {
    server = await serve();
  });
  after(() => server.stop());

  for (const study of studies.filter(({ program }) => QUICK.includes(program))) {
    it(`recover the parameters from which ${study.program} was simulated`, async () => {
      assert.deepEqual(await faults(new Client(server.address), study), []);
    });
  }
});
