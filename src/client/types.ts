/** Types of requests and responses, from the service's schemas. */
import type * as run from '../requests/fit-requests.js';
import type { StanValue, Variables } from '../requests/variables.js';
import type * as comparisons from '../service/schemas/comparisons.js';
import type * as evaluations from '../service/schemas/evaluations.js';
import type * as evidence from '../service/schemas/evidence.js';
import type * as fits from '../service/schemas/fits.js';
import type * as predictions from '../service/schemas/predictions.js';
import type * as refits from '../service/schemas/refits.js';

export type { CalibrationResource } from '../service/schemas/calibrations.js';
export type { ParametersResource, ProfileResource } from '../service/schemas/evaluations.js';
export type { FitResource } from '../service/schemas/fits.js';
export type { FunctionResource } from '../service/schemas/functions.js';
export type {
  DescribedModelResource,
  DescriptionResource,
  ModelResource,
  VariableResource,
} from '../service/schemas/models.js';
export type { OperationResource } from '../service/schemas/operations.js';
export type { ErrorResource } from '../service/schemas/shared.js';

/** The same type without the strings that represent non-finite numbers. */
type Read<Type> = [Extract<Type, 'NaN'>] extends [never]
  ? Type extends readonly (infer Element)[]
    ? readonly Read<Element>[]
    : Type extends object
      ? { readonly [Name in keyof Type]: Read<Type[Name]> }
      : Type
  : number;

export type SummaryResource = Read<fits.SummaryResource>;
export type DiagnosisResource = Read<fits.DiagnosisResource>;
export type LooResource = Read<predictions.LooResource>;
export type ComparisonResource = Read<comparisons.ComparisonResource>;
export type EvidenceResource = Read<evidence.EvidenceResource>;
export type EvidenceComparisonResource = Read<evidence.EvidenceComparisonResource>;
export type RefitsResource = Read<refits.RefitsResource>;
export type PredictiveResource = Read<predictions.PredictiveResource>;

export type { StanValue, Variables };

/** The result of a program's function, in Stan's JSON format, with non-finite numbers as strings. */
export type FunctionValueResource = Omit<evaluations.FunctionValueResource, 'result'> & {
  readonly result: StanValue | null;
};

/**
 * Values of the data variables, or their JSON text, which is sent unchanged and can contain integers of any size and
 * `NaN`.
 */
export type Data = Variables | string;

/**
 * A request for a fit: the function, and the function's arguments and inputs (`Client.functions`). Finished fits are
 * given by name.
 */
export type FitRequest = run.FitRequest<string, Data>;

type SamplerFields = Omit<run.SampleFields<string, Data>, 'algorithm' | 'metric' | 'adapt_engaged'> & {
  readonly function?: FitRequest['function'];
};

/** A request for draws from the prior. */
export type PriorRequest = SamplerFields;

/** A request for simulation-based calibration. */
export type CalibrationRequest = Omit<
  SamplerFields,
  'num_chains' | 'chain' | 'save' | 'save_warmup' | 'continue' | 'warm_start'
> & {
  /** Number of data sets; 100 by default. */
  readonly simulations?: number;
};

/** A request for cross-validation with refits. At most one of `folds`, `groups` and `observations` is given. */
export type RefitRequest = Omit<SamplerFields, 'chain' | 'save' | 'save_warmup' | 'continue' | 'init'> & {
  /** Number of groups into which observations are divided at random; 10 by default. */
  readonly folds?: number;
  /** A member of the data with the group number of each observation. */
  readonly groups?: string;
  /** Names of observations to leave out one at a time. */
  readonly observations?: readonly string[];
};

/** A fit in a comparison, by its name, with the fields of `Fit.loo`. */
export interface FitToCompare {
  readonly name: string;
  readonly data?: Variables;
  /** The variable with the log likelihood of each observation; `log_lik` by default. */
  readonly variable?: string;
  readonly moment_match?: boolean;
  /** The name of a fit of `Model.kfold`. Its estimates replace those of the observations that it has left out. */
  readonly refits?: string;
}

/** A message of a fit. */
export type Message = { readonly version: 1; readonly chain?: number } & (
  | { readonly topic: 'logger'; readonly values: readonly [string] }
  | { readonly topic: 'initialization'; readonly values: readonly number[] }
  /** A draw, or a message among the draws. */
  | { readonly topic: 'sample'; readonly values: Readonly<Record<string, number>> | readonly [string] }
  /** The diagnostic of a draw, or a message after the diagnostics. */
  | { readonly topic: 'diagnostic'; readonly values: Readonly<Record<string, number>> | readonly [string] }
);

/** A draw of a chain, with values in the order of the fit's columns. */
export interface Draw {
  readonly chain: number;
  /**
   * Whether the row precedes the draws: a saved draw of warmup, the mean of a variational approximation, or an
   * iteration of an optimizer.
   */
  readonly warmup: boolean;
  readonly values: Readonly<Record<string, number>>;
}
