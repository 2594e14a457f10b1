/** Entry points through which the same requests run: a driver for each, and what tests compare. */
import assert from 'node:assert/strict';

export const PROGRAM = `data { int N; vector[N] y; }
transformed data { real shift = normal_rng(0, 1); }
parameters { vector[N] theta; real mu; real<lower=0> tau; }
model { mu ~ normal(shift, 5); tau ~ lognormal(0, 1); theta ~ normal(mu, tau); y ~ normal(theta, 0.5); }
generated quantities { real z = normal_rng(mu, 1); }
`;
/** A program with another prior, another constraint and one more parameter. */
export const EDITED = PROGRAM.replace('real mu;', 'real<lower=-100> mu; real delta;').replace(
  'model {',
  'model { delta ~ std_normal();',
);

/** A program and data whose log density is costly enough for slices, at all doors. */
export const SLICED = {
  program: `data { int N; vector[N] x; vector[N] y; }
parameters { real a; real b; real<lower=0> s; }
model { s ~ lognormal(0, 1); y ~ student_t(4, a + b * x, s); x ~ student_t(5, a - b * y, s); y ~ student_t(6, b * x, s); x ~ student_t(7, b * y, s); }
`,
  data: {
    N: 8000,
    x: Array.from({ length: 8000 }, (_, n) => Math.sin(3 * n)),
    y: Array.from({ length: 8000 }, (_, n) => Math.cos(n * n)),
  },
};

export type Metric = 'unit_e' | 'diag_e' | 'dense_e' | 'low_rank';

export interface UntilRule {
  readonly ess_bulk?: number;
  readonly ess_tail?: number;
  readonly rhat?: number;
  readonly mcse_mean?: number;
  readonly mcse_sd?: number;
  readonly quantities?: readonly string[];
  readonly max_iterations?: number;
}

/** A run of the No-U-Turn sampler. Fits are those of the same door. */
export interface SampleRequest<Fit> {
  readonly program?: string;
  readonly data?: object;
  readonly metric?: Metric;
  readonly algorithm?: 'recommended';
  readonly num_chains?: number;
  readonly random_seed?: number;
  readonly num_warmup?: number;
  readonly num_samples?: number;
  readonly num_thin?: number;
  readonly save_warmup?: boolean;
  readonly stepsize_jitter?: number;
  readonly max_depth?: number;
  readonly reparameterize?: 'none' | 'auto';
  readonly integrate?: 'none' | 'auto';
  readonly threads_per_chain?: number;
  readonly until?: UntilRule;
  /** Whether draws are those of the prior. */
  readonly prior?: true;
  readonly continue?: Fit;
  readonly warm_start?: Fit;
}

/** The defaults of all doors. */
export const USUAL = {
  program: PROGRAM,
  data: { N: 3, y: [1, 2, 4] },
  metric: 'diag_e',
  num_chains: 2,
  random_seed: 5,
  num_warmup: 200,
  num_samples: 40,
} as const satisfies SampleRequest<never>;

/** The defaults of calibrations at all doors. */
export const USUAL_CALIBRATION = {
  data: USUAL.data,
  random_seed: 3,
  simulations: 20,
  num_warmup: 150,
  num_samples: 150,
} as const;

/** The defaults of profiles at all doors. */
export const PROFILED = { data: USUAL.data, evaluations: 10 } as const satisfies ProfileRequest;

/** A request with the defaults. */
export function calibrationFields(request: Omit<CalibrationRequest, 'program'>) {
  return { ...USUAL_CALIBRATION, ...request };
}

/** The message with which a promise is rejected. */
export async function messageOf(promise: Promise<unknown>): Promise<string> {
  const problem = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(problem instanceof Error);
  return problem.message;
}

export interface DoorFit {
  /** `theta.2` is element 2 of `theta`. */
  readonly columns: readonly string[];
  readonly chains: readonly {
    readonly id: number;
    /** Draws after warmup, with `columns.length` numbers each. */
    readonly draws: readonly (readonly number[])[];
    /** The last line of the log. */
    readonly lastLine: string;
  }[];
}

/** Simulation-based calibration with the No-U-Turn sampler. */
export interface CalibrationRequest extends Pick<SampleRequest<never>, 'program' | 'random_seed' | 'metric'> {
  readonly simulations?: number;
  readonly num_warmup?: number;
  readonly num_samples?: number;
}

export interface DoorCalibration {
  readonly ok: boolean;
  readonly message: string;
  /** By name, `theta[2]` for element 2 of `theta`. */
  readonly ranks: Readonly<Record<string, readonly number[]>>;
  readonly probabilities: Readonly<Record<string, number>>;
}

/** A calibrated quantity, as most doors return it. */
interface CalibratedQuantity {
  readonly name: string;
  readonly probability: number;
  readonly ranks: readonly number[];
}

export function doorCalibration(
  ok: boolean,
  message: string,
  quantities: readonly CalibratedQuantity[],
): DoorCalibration {
  return {
    ok,
    message,
    ranks: Object.fromEntries(quantities.map(({ name, ranks }) => [name, ranks])),
    probabilities: Object.fromEntries(quantities.map(({ name, probability }) => [name, probability])),
  };
}

/** The defaults of refits at all doors. */
export const REFITTED = {
  data: USUAL.data,
  random_seed: 4,
  num_chains: 2,
  num_warmup: 150,
  num_samples: 150,
} as const;

/** Estimates of refits, by observation. */
export interface DoorRefits {
  readonly message: string;
  readonly observations: readonly { readonly name: string; readonly fold: number; readonly elpd: number }[];
}

/** Times of the gradient by statement. */
export interface ProfileRequest {
  readonly program?: string;
  readonly data?: object;
  readonly point?: readonly number[];
  readonly evaluations?: number;
}

/** For each statement, the values that do not depend on the machine. */
export interface DoorStatement {
  readonly line: number;
  readonly executions: number;
  readonly cost: string | null;
  readonly share: number;
}

interface SentStatement extends Omit<DoorStatement, 'cost'> {
  readonly cost?: { readonly cost: string };
}

export function doorStatements(statements: readonly SentStatement[]): readonly DoorStatement[] {
  return statements.map(({ cost, executions, line, share }) => ({ line, executions, share, cost: cost?.cost ?? null }));
}

/** The gradient of the usual form of a sampler's density, without constants, of `SLICED`. */
export interface GradientRequest {
  readonly point: readonly number[];
  /** Maximum number of threads; without it, the density is one sum. */
  readonly threads?: number;
}

export interface DoorGradient {
  readonly logDensity: number;
  readonly gradient: readonly number[];
}

/** An observation that is left out. */
export interface DoorObservation {
  readonly name: string;
  readonly elpd: number;
  readonly paretoK: number;
}

/** A fit in a comparison, with its program and its data if they are not the usual ones. */
export interface ComparedFit<Fit> extends Pick<SampleRequest<never>, 'program' | 'data'> {
  readonly fit: Fit;
}

/** Fits, by their names in the comparison. */
export type ComparedFits<Fit> = Readonly<Record<string, ComparedFit<Fit>>>;

export interface DoorCompared {
  readonly name: string;
  readonly elpd: number;
  readonly difference: number;
  readonly standardError: number;
  readonly stacking: number;
  readonly pseudoBmaPlus: number;
}

/** A compared fit without fields that only some doors return. */
export function doorCompared(models: readonly DoorCompared[]): readonly DoorCompared[] {
  return models.map(({ difference, elpd, name, pseudoBmaPlus, stacking, standardError }) => ({
    name,
    elpd,
    difference,
    standardError,
    stacking,
    pseudoBmaPlus,
  }));
}

/** A session at a door. */
export interface Session<Fit extends DoorFit> {
  sample(request: SampleRequest<Fit>): Promise<Fit>;
  /** Starts a request that the door or the run refuses, and returns the message. */
  refusal(request: SampleRequest<Fit>): Promise<string>;
  calibrate(request: CalibrationRequest): Promise<DoorCalibration>;
  /** Like `refusal`, for calibration. */
  calibrationRefusal(request: CalibrationRequest): Promise<string>;
  /** Leave-one-out cross-validation with moment matching, of a fit with the usual program and data. */
  matched(fit: Fit): Promise<readonly DoorObservation[]>;
  /** Cross-validation with refits of the usual program. */
  refitted(folds: number): Promise<DoorRefits>;
  /** Like `refusal`, for refits. */
  refitRefusal(folds: number): Promise<string>;
  /** Like `matched`, with refits of observations with a high Pareto k instead of moment matching. */
  exact(fit: Fit): Promise<readonly DoorObservation[]>;
  /** Compares fits by leave-one-out cross-validation, the best first. */
  compare(fits: ComparedFits<Fit>): Promise<readonly DoorCompared[]>;
  /** Like `refusal`, for comparisons. */
  comparisonRefusal(fits: ComparedFits<Fit>): Promise<string>;
  profile(request: ProfileRequest): Promise<readonly DoorStatement[]>;
  /** Like `refusal`, for profiles. */
  profileRefusal(request: ProfileRequest): Promise<string>;
  /** Absent at doors that do not evaluate models at points. The log density alone must equal the one beside the gradient. */
  gradient?(request: GradientRequest): Promise<DoorGradient>;
  /** Like `refusal`, for gradients. */
  gradientRefusal?(request: GradientRequest): Promise<string>;
  /**
   * Starts a run, cancels it after its first block, and returns the draws that are kept, at doors where a run outlives the client that started it.
   */
  cancelled?(request: SampleRequest<Fit>): Promise<Fit>;
  close(): Promise<void>;
}

export interface Door<Fit extends DoorFit> {
  readonly name: string;
  /** The reason why it cannot be tested here. */
  readonly skip?: string | false;
  open(): Promise<Session<Fit>>;
}

export function functionOf(metric: Metric, algorithm?: 'recommended'): string {
  if (algorithm !== undefined) return `leapfrog::services::sample::${algorithm}`;
  return `${metric === 'low_rank' ? 'leapfrog' : 'stan'}::services::sample::hmc_nuts_${metric}_adapt`;
}
