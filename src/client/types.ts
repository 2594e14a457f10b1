/** What goes over the wire, as the service's own schemas have it. */
import type * as run from '../run/fit-requests.js';
import type { StanValue, Variables } from '../run/variables.js';
import type * as predictive from '../service/predictive-schemas.js';
import type * as service from '../service/schemas.js';

export type { CalibrationResource } from '../service/calibration-schemas.js';
export type {
  DescribedModelResource,
  DescriptionResource,
  ErrorResource,
  FitResource,
  FunctionResource,
  ModelResource,
  OperationResource,
  ParametersResource,
  ProfileResource,
  VariableResource,
} from '../service/schemas.js';

/** With numbers where those that are not finite come as texts. */
type Read<Type> = [Extract<Type, 'NaN'>] extends [never]
  ? Type extends readonly (infer Element)[]
    ? readonly Read<Element>[]
    : Type extends object
      ? { readonly [Name in keyof Type]: Read<Type[Name]> }
      : Type
  : number;

export type SummaryResource = Read<service.SummaryResource>;
export type DiagnosisResource = Read<service.DiagnosisResource>;
export type LooResource = Read<predictive.LooResource>;
export type PredictiveResource = Read<predictive.PredictiveResource>;

export type { StanValue, Variables };

/** The value of a function of a program, in Stan's JSON format; numbers that are not finite are strings. */
export type FunctionValueResource = Omit<service.FunctionValueResource, 'result'> & {
  readonly result: StanValue | null;
};

/** Values of the data variables, or their JSON text, in which integers of any size and `NaN` stay as they are written. */
export type Data = Variables | string;

/** A request for a fit: the function, and whatever that function takes (`Client.functions`). Finished fits are given by name. */
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
  /** Number of data sets; 100 unless given. */
  readonly simulations?: number;
};

/** A message of a fit. */
export type Message = { readonly version: 1; readonly chain?: number } & (
  | { readonly topic: 'logger'; readonly values: readonly [string] }
  | { readonly topic: 'initialization'; readonly values: readonly number[] }
  /** A draw, or a text among the draws. */
  | { readonly topic: 'sample'; readonly values: Readonly<Record<string, number>> | readonly [string] }
  /** A diagnostic of a draw, or a text after them. */
  | { readonly topic: 'diagnostic'; readonly values: Readonly<Record<string, number>> | readonly [string] }
);

/** A draw of a chain; its values in the order of the fit's columns. */
export interface Draw {
  readonly chain: number;
  /** Whether it precedes the draws: a saved draw of warmup, the mean of a variational approximation, or an iteration of an optimizer. */
  readonly warmup: boolean;
  readonly values: Readonly<Record<string, number>>;
}
