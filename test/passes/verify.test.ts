import { describe, it } from 'node:test';
import { PROGRAMS } from '../gradients/programs.js';
import { MODEL_CASES, type ModelCase, readCases } from '../reference/stan.js';
import { verifyStages } from '../support/verify-stages.js';

describe('the IR is well formed after every pass', () => {
  for (const [name, program] of Object.entries(PROGRAMS)) it(name, () => void verifyStages(program));
});

describe('the IR of the reference models is well formed after every pass', () => {
  for (const { name, files } of readCases<ModelCase>(MODEL_CASES))
    it(name, () => void verifyStages(files['model.stan']));
});
