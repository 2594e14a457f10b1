import { test } from 'node:test';
import { checkGradient } from './agreement.js';
import { PROGRAMS } from './programs.js';

for (const [name, program] of Object.entries(PROGRAMS)) {
  test(`gradient against central differences, 1e-6: ${name}`, () => checkGradient(program));
}
