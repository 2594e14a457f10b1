import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { close, compile } from '../../src/node/library/index.js';
import { PROGRAMS } from './programs.js';

/** Samplers that Stan does not have. */
const SAMPLERS = {
  'the Fisher diagonal metric': { adapt_metric: 'fisher' },
  'the low-rank metric': { metric: 'low_rank' },
  'learned coordinates': { reparameterize: 'auto' },
  'integrated parameters': { integrate: 'auto' },
  'the recommended sampler': { algorithm: 'recommended' },
} as const;
/** Ranks use every fourth of the 400 draws of a fit. */
const LENGTH = { simulations: 200, num_warmup: 300, num_samples: 400 };
/** Probability below which a program counts as miscalibrated, corrected for its number of quantities. */
const LEVEL = 1e-3;

for (const [sampler, fields] of Object.entries(SAMPLERS)) {
  describe(`${sampler} is calibrated on`, () => {
    after(() => close());

    for (const [index, { data, name, program }] of PROGRAMS.entries()) {
      it(name, async () => {
        const model = await compile(program);
        const { message, quantities } = await model.sbc({ ...fields, ...LENGTH, data, random_seed: index + 1 });
        const least = Math.min(...quantities.map(({ probability }) => probability)) * quantities.length;
        assert.ok(least > LEVEL, `${message} (${least})`);
      });
    }
  });
}
