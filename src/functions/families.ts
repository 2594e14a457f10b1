import { ARITHMETIC } from './arithmetic.js';
import { CONTAINER_FUNCTIONS } from './containers.js';
import { COUNTS } from './densities/counts.js';
import { INTERVAL } from './densities/interval.js';
import { POSITIVE } from './densities/positive.js';
import { UNBOUNDED } from './densities/unbounded.js';
import { ELEMENTWISE } from './elementwise.js';
import type { FunctionEntry } from './entry.js';
import { LINEAR_ALGEBRA } from './linear-algebra.js';
import { PAIRWISE } from './pairwise.js';
import { REDUCTIONS } from './reductions.js';

/** Every family file of the library; a function's name may stand in one of them only. */
export const FAMILIES: readonly (readonly FunctionEntry[])[] = [
  ARITHMETIC,
  ELEMENTWISE,
  PAIRWISE,
  UNBOUNDED,
  POSITIVE,
  INTERVAL,
  COUNTS,
  CONTAINER_FUNCTIONS,
  REDUCTIONS,
  LINEAR_ALGEBRA,
];
