import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from '../support/client.js';
import { type Serving, serve } from '../support/serving.js';
import { faults } from './fitting.js';
import { studies } from './studies.js';

describe('fits of every program of the guide', () => {
  let server: Serving;
  before(async () => {
    server = await serve();
  });
  after(() => server.stop());

  for (const study of studies) {
    it(`recover the parameters from which ${study.program} was simulated`, async () => {
      assert.deepEqual(await faults(new Client(server.address), study), []);
    });
  }
});
