import { describe, it } from 'node:test';
import { EQUATIONS } from './equations.js';
import { FUNCTIONS } from './functions.js';
import { recover } from './recover.js';

describe('programs with solvers recover the parameters from which their data were simulated, two of the long run', () => {
  for (const each of [EQUATIONS[0], FUNCTIONS[5]]) it(each.name, () => recover(each));
});
