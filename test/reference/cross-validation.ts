import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ROOT } from '../project/tree.js';

/** Draws of a model's log likelihood, with the results of the R package loo. */
export interface LooCase {
  readonly name: string;
  /** One array per chain, which contains one array per observation with one number per draw. */
  readonly logLikelihood: readonly (readonly (readonly number[])[])[];
  readonly expected: {
    readonly elpd: readonly number[];
    readonly mcse: readonly number[];
    readonly effectiveParameters: readonly number[];
    readonly paretoK: readonly number[];
    readonly estimates: Readonly<Record<'elpd_loo' | 'p_loo' | 'looic', readonly [estimate: number, error: number]>>;
    readonly mcseTotal: number | null;
    readonly greatestK: number;
  };
}

interface Reference {
  readonly cases: readonly LooCase[];
  /** Comparison of the two models of milk. */
  readonly comparison: {
    readonly names: readonly string[];
    readonly difference: readonly number[];
    readonly standardError: readonly number[];
    readonly probabilityWorse: readonly (number | null)[];
  };
}

/** `record-cross-validation.R` records it. */
export function readLooReference(): Reference {
  return JSON.parse(gunzipSync(readFileSync(join(ROOT, 'test/reference/cross-validation.json.gz'))).toString());
}
