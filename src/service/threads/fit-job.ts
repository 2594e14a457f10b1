/** Jobs of reading threads on finished and running fits. */

import type { FitContents } from '../../fit-files/contents.js';
import type { PieceOfFit } from '../../fit-files/parts.js';
import type { LeftOutColumns } from '../../fits/cross-validation.js';
import type { Prediction } from '../../fits/predictions.js';
import type { PredictedPart } from '../../fits/predictive.js';
import type { NamedSummary } from '../../fits/statistics.js';
import type { NonFinite } from '../../formats/numbers.js';
import type { Convergence, Finiteness, SamplerReport } from '../../inference/diagnostics/findings.js';
import type { Calibration } from '../../studies/calibration.js';
import type { Refits } from '../../studies/refit-results.js';
import type { Followed, FollowJob } from './follow-job.js';
import type { ListedParts, ListJob } from './list-job.js';

/** A range of a chain's draws: the index of the first one, counted from 0 including warmup, and their number. */
export interface DrawRange {
  readonly chain: number;
  readonly from: number;
  readonly count: number;
}

interface ContentsJob {
  readonly kind: 'contents';
  readonly path: string;
}

/** Verifies all checksums of a fit. */
interface VerifyJob {
  readonly kind: 'verify';
  readonly path: string;
}

interface RenderJob {
  readonly kind: 'render';
  readonly piece: PieceOfFit;
  readonly style: NonFinite;
}

/**
 * Summarizes columns over chains with equal numbers of draws, assesses only their convergence or whether they are finite, or computes
 * leave-one-out results if the columns are log likelihoods.
 */
export interface ColumnsJob {
  readonly kind: 'summarize' | 'judge' | 'count' | 'leave out';
  readonly path: string;
  readonly columns: readonly number[];
  readonly ranges: readonly DrawRange[];
}

/** Compares simulated observations with the observed ones, if these are known. */
interface PredictJob extends Omit<ColumnsJob, 'kind'> {
  readonly kind: 'predict';
  readonly observed: Float64Array | undefined;
}

/** Finds the data that columns of a fit simulate. `data` is JSON. */
interface PairJob {
  readonly kind: 'pair';
  readonly path: string;
  readonly data: string;
}

/** Examines the sampler's diagnostics. */
export interface SamplerJob {
  readonly kind: 'sampler';
  readonly path: string;
  readonly ranges: readonly DrawRange[];
  readonly maximumDepth: number | undefined;
}

/** Concludes a calibration, whose fit has ranks as draws. */
interface CalibrationJob {
  readonly kind: 'calibration';
  readonly path: string;
}

/** Concludes cross-validation with refits, whose fit has estimates as draws. */
interface RefitsJob {
  readonly kind: 'refits';
  readonly path: string;
}

export type FitJob =
  | ContentsJob
  | VerifyJob
  | CalibrationJob
  | RefitsJob
  | RenderJob
  | ColumnsJob
  | PredictJob
  | PairJob
  | SamplerJob
  | FollowJob
  | ListJob;

export type FitResult =
  | { readonly kind: 'contents'; readonly contents: FitContents }
  | { readonly kind: 'verified' }
  | { readonly kind: 'rendered'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'summaries'; readonly summaries: readonly NamedSummary[] }
  | { readonly kind: 'judged'; readonly quantities: readonly Convergence[] }
  | { readonly kind: 'counted'; readonly quantities: readonly Finiteness[] }
  | ({ readonly kind: 'left out' } & LeftOutColumns)
  | ({ readonly kind: 'predicted' } & PredictedPart)
  | { readonly kind: 'paired'; readonly predictions: readonly Prediction[] }
  | { readonly kind: 'sampler'; readonly reports: readonly SamplerReport[] }
  | { readonly kind: 'calibrated'; readonly calibration: Calibration }
  | { readonly kind: 'refitted'; readonly refits: Refits }
  | ListedParts
  | Followed;

const KINDS: ReadonlySet<string> = new Set<FitJob['kind']>([
  'contents',
  'verify',
  'calibration',
  'refits',
  'render',
  'follow',
  'summarize',
  'judge',
  'count',
  'leave out',
  'predict',
  'pair',
  'sampler',
  'list',
]);

export function isFitJob<Other extends { readonly kind: string }>(job: FitJob | Other): job is FitJob {
  return KINDS.has(job.kind);
}
