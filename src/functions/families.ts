import { ARITHMETIC } from './arithmetic.js';
import { withComplex } from './complex/extend.js';
import { COMPLEX } from './complex/rows.js';
import { CONSTANTS } from './constants.js';
import { FILLED } from './containers/filled.js';
import { JOINED } from './containers/joined.js';
import { PARTS } from './containers/parts.js';
import { REARRANGED } from './containers/rearranged.js';
import { SIZES } from './containers/sizes.js';
import { COVARIANCES } from './covariances.js';
import { CATEGORICAL } from './densities/categorical.js';
import { COUNTS } from './densities/counts.js';
import { DIFFUSION } from './densities/diffusion.js';
import { DISTRIBUTIONS } from './densities/distributions.js';
import { REGRESSIONS } from './densities/glm.js';
import { INCOMPLETE } from './densities/incomplete.js';
import { INTERVAL } from './densities/interval.js';
import { MATRICES } from './densities/matrices.js';
import { MULTIVARIATE } from './densities/multivariate.js';
import { ORDERED } from './densities/ordered.js';
import { POISSON_BINOMIAL } from './densities/poisson-binomial.js';
import { POSITIVE } from './densities/positive.js';
import { STATE_SPACE } from './densities/state-space.js';
import { STRUCTURED_RANDOM } from './densities/structured-random.js';
import { SUMMED } from './densities/summed.js';
import { UNBOUNDED } from './densities/unbounded.js';
import { ELEMENTWISE } from './elementwise.js';
import type { FunctionEntry } from './entry.js';
import { HIDDEN_MARKOV } from './hidden-markov.js';
import { HYPERGEOMETRIC } from './hypergeometric.js';
import { LAPLACE_OPTIONS } from './laplace-options.js';
import { DECOMPOSITIONS } from './linear-algebra/decompositions.js';
import { MATRIX_EXPONENTIALS } from './linear-algebra/exponential.js';
import { MATRIX_PRODUCTS } from './linear-algebra/products.js';
import { SOLVES } from './linear-algebra/solves.js';
import { SPARSE } from './linear-algebra/sparse.js';
import { LOG_MIX } from './mixtures.js';
import { PAIRWISE } from './pairwise.js';
import { QUANTILES } from './quantiles.js';
import { RANDOM } from './random.js';
import { REDUCTIONS } from './reductions.js';
import { SOFTMAX } from './softmax.js';
import { TRANSFORMS } from './transforms.js';

/** All families of functions. Each function name must occur in only one of them. */
export const FAMILIES: readonly (readonly FunctionEntry[])[] = withComplex(
  [
    ARITHMETIC,
    ELEMENTWISE,
    PAIRWISE,
    QUANTILES,
    UNBOUNDED,
    POSITIVE,
    INTERVAL,
    COUNTS,
    POISSON_BINOMIAL,
    SIZES,
    FILLED,
    JOINED,
    REARRANGED,
    PARTS,
    REDUCTIONS,
    SOFTMAX,
    MATRIX_PRODUCTS,
    SOLVES,
    DECOMPOSITIONS,
    MATRIX_EXPONENTIALS,
    SPARSE,
    LAPLACE_OPTIONS,
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
    HIDDEN_MARKOV,
    HYPERGEOMETRIC,
    STATE_SPACE,
    DIFFUSION,
    [LOG_MIX],
    TRANSFORMS,
  ],
  COMPLEX,
);
