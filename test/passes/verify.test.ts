import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PROGRAMS } from '../gradients/programs.js';
import { ROOT } from '../project/tree.js';
import { verifyStages } from '../support/verify-stages.js';

const MODELS = join(ROOT, '../shared/conformance/models');

describe('the IR is well formed after every pass', () => {
  for (const [name, program] of Object.entries(PROGRAMS)) it(name, () => void verifyStages(program));
});

describe('the IR of the conformance models is well formed after every pass', { skip: !existsSync(MODELS) }, () => {
  for (const name of existsSync(MODELS) ? readdirSync(MODELS) : []) {
    it(name, () => void verifyStages(readFileSync(join(MODELS, name, 'model.stan'), 'utf8')));
  }
});
