import { COMPLEX_ARITHMETIC } from './arithmetic.js';
import { COMPLEX_DECOMPOSITIONS } from './decompositions.js';
import type { ComplexRow } from './extend.js';
import { COMPLEX_SCALARS } from './scalars.js';
import { COMPLEX_STRUCTURE } from './structure.js';

/** All functions of complex arguments. */
export const COMPLEX: readonly ComplexRow[] = [
  ...COMPLEX_STRUCTURE,
  ...COMPLEX_ARITHMETIC,
  ...COMPLEX_SCALARS,
  ...COMPLEX_DECOMPOSITIONS,
];
