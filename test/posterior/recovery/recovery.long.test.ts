import { describe, it } from 'node:test';
import { EQUATIONS } from './equations.js';
import { FUNCTIONS } from './functions.js';
import { recover } from './recover.js';

describe('programs with solvers recover what their data were simulated from', () => {
  for (const each of [...EQUATIONS, ...FUNCTIONS]) it(each.name, () => recover(each));
});
