import { ARITHMETIC } from './arithmetic.js';
import { CONSTANTS } from './constants.js';
import { CONTAINER_FUNCTIONS } from './containers.js';
import { COVARIANCES } from './covariances.js';
import { CATEGORICAL } from './densities/categorical.js';
import { COUNTS } from './densities/counts.js';
import { DISTRIBUTIONS } from './densities/distributions.js';
import { REGRESSIONS } from './densities/glm.js';
import { INCOMPLETE } from './densities/incomplete.js';
import { INTERVAL } from './densities/interval.js';
import { MATRICES } from './densities/matrices.js';
import { MULTIVARIATE } from './densities/multivariate.js';
import { ORDERED } from './densities/ordered.js';
import { POSITIVE } from './densities/positive.js';
import { STRUCTURED_RANDOM } from './densities/structured-random.js';
import { SUMMED } from './densities/summed.js';
import { UNBOUNDED } from './densities/unbounded.js';
import { ELEMENTWISE } from './elementwise.js';
import type { FunctionEntry } from './entry.js';
import { LINEAR_ALGEBRA } from './linear-algebra.js';
import { LOG_MIX } from './mixtures.js';
import { PAIRWISE } from './pairwise.js';
import { RANDOM } from './random.js';
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
  COVARIANCES,
  CONSTANTS,
  RANDOM,
  DISTRIBUTIONS,
  CATEGORICAL,
  ORDERED,
  MULTIVARIATE,
  MATRICES,
  REGRESSIONS,
  STRUCTURED_RANDOM,
  INCOMPLETE,
  SUMMED,
  [LOG_MIX],
];
