import { CHOLESKY_FACTOR_CORR, CHOLESKY_FACTOR_COV } from './cholesky-factors.js';
import type { StructuredConstraint } from './constraint.js';
import { CORR_MATRIX, COV_MATRIX } from './matrices.js';
import { ORDERED, POSITIVE_ORDERED } from './ordered.js';
import { COLUMN_STOCHASTIC_MATRIX, ROW_STOCHASTIC_MATRIX, SIMPLEX } from './simplex.js';
import { SUM_TO_ZERO_MATRIX, SUM_TO_ZERO_VECTOR } from './sum-to-zero.js';
import { UNIT_VECTOR } from './unit-vector.js';

/** The constraints that a declared type implies, by its name. */
export const STRUCTURED = {
  ordered: ORDERED,
  positive_ordered: POSITIVE_ORDERED,
  simplex: SIMPLEX,
  unit_vector: UNIT_VECTOR,
  sum_to_zero_vector: SUM_TO_ZERO_VECTOR,
  sum_to_zero_matrix: SUM_TO_ZERO_MATRIX,
  cholesky_factor_corr: CHOLESKY_FACTOR_CORR,
  cholesky_factor_cov: CHOLESKY_FACTOR_COV,
  corr_matrix: CORR_MATRIX,
  cov_matrix: COV_MATRIX,
  column_stochastic_matrix: COLUMN_STOCHASTIC_MATRIX,
  row_stochastic_matrix: ROW_STOCHASTIC_MATRIX,
} satisfies Readonly<Record<string, StructuredConstraint>>;
