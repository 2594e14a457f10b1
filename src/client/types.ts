/** What goes over the wire, without anything of the server: a test holds these types against the schemas that it has. */

/** A compiled model. */
export interface ModelResource {
  /** `models/<model_id>` */
  readonly name: string;
  /** The compile log: stages with their times, sizes of what was made. */
  readonly compiler_output: string;
  /** Warnings of the language compiler; empty when there are none. */
  readonly stanc_warnings: string;
}

export interface DescribedModelResource extends ModelResource {
  readonly program_code: string;
  /** The texts that `#include` names, by name. */
  readonly includes?: Readonly<Record<string, string>>;
  readonly info?: InfoResource;
}

/** The base type and the number of dimensions of a variable; of a tuple, its slots' instead of a name. */
export interface VariableResource {
  readonly type: string | readonly VariableResource[];
  readonly dimensions: number;
}

/** What a program declares and calls, as stanc's `--info` says it. */
export interface InfoResource {
  readonly inputs: Readonly<Record<string, VariableResource>>;
  readonly parameters: Readonly<Record<string, VariableResource>>;
  readonly 'transformed parameters': Readonly<Record<string, VariableResource>>;
  readonly 'generated quantities': Readonly<Record<string, VariableResource>>;
  readonly functions: readonly string[];
  readonly distributions: readonly string[];
  readonly included_files: readonly string[];
}

/** An error or a warning of the language compiler. */
export interface DiagnosticResource {
  readonly kind: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** What to write instead. */
  readonly hint?: string;
  /** As the compiler prints it. */
  readonly text: string;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 0, in bytes. */
  readonly column: number;
  readonly end_line: number;
  /** Behind the last character. */
  readonly end_column: number;
}

/** What can be said of a program without compiling it. */
export interface DescriptionResource {
  /** The first error; none when the program is right. */
  readonly errors: readonly DiagnosticResource[];
  readonly warnings: readonly DiagnosticResource[];
  readonly info?: InfoResource;
  /** The program as auto-formatted; missing when it cannot be read. */
  readonly formatted?: string;
}

export interface ErrorResource {
  /** The HTTP status code. */
  readonly code: number;
  readonly status: string;
  readonly message: string;
  /** One entry for each thing there is to say: the field or the place, and its message. */
  readonly details?: readonly object[];
}

/** How far a chain is. */
export interface ChainProgressResource {
  readonly chain: number;
  readonly state?: 'waiting' | 'running' | 'done';
  /** Stan's progress line. */
  readonly progress?: string;
  /** Iterations done, warmup included. */
  readonly iteration?: number;
  readonly iterations?: number;
  /** Draws kept so far. */
  readonly draws?: number;
  readonly divergences?: number;
  readonly step_size?: number;
  readonly seconds_left?: number;
}

/** What a sampler's chain moved with after warmup. */
export interface AdaptationResource {
  readonly chain: number;
  readonly stepsize: number;
  readonly inv_metric?: readonly number[] | readonly (readonly number[])[];
}

export interface OperationResource {
  /** `operations/<operation_id>` */
  readonly name: string;
  /** Whether the operation has finished, well or not. */
  readonly done: boolean;
  readonly metadata?: {
    readonly fit: { readonly name: string };
    readonly function: string;
    readonly random_seed: number;
    /** Stan's progress line of the chain that is furthest behind. */
    readonly progress?: string;
    readonly state: 'waiting' | 'running' | 'done';
    /** Of a waiting operation: its place in the queue, from 1. */
    readonly place?: number;
    readonly chains: readonly ChainProgressResource[];
    /** Left out of lists. */
    readonly adaptation?: readonly AdaptationResource[];
    readonly created: string;
    readonly ended?: string;
  };
  /** The fit when all went well, otherwise the error. */
  readonly result?: { readonly name?: string } & Partial<ErrorResource>;
}

/** An argument of a function. */
export type ArgumentResource =
  | {
      readonly name: string;
      readonly type: 'integer' | 'number';
      /** Absent when leaving the argument out means something of its own. */
      readonly default?: number;
      readonly minimum?: number;
      readonly exclusiveMinimum?: number;
      readonly maximum?: number;
      readonly exclusiveMaximum?: number;
      readonly description: string;
    }
  | { readonly name: string; readonly type: 'boolean'; readonly default: boolean; readonly description: string }
  | {
      readonly name: string;
      readonly type: 'string';
      readonly choices: readonly string[];
      readonly default: string;
      readonly description: string;
    }
  /** Of numbers, or of rows of them. */
  | {
      readonly name: string;
      readonly type: 'array';
      readonly depth: 1 | 2;
      readonly default?: undefined;
      readonly description: string;
    }
  | { readonly name: string; readonly type: 'array'; readonly elements: 'string'; readonly description: string };

/** A function of the services namespace. */
export interface FunctionResource {
  readonly name: string;
  readonly short_name: string;
  readonly description: string;
  /** What it takes beside arguments: values, or the name of a fit. */
  readonly inputs: readonly {
    readonly name: 'init' | 'mode' | 'fitted_params';
    readonly required: boolean;
    readonly description: string;
  }[];
  readonly arguments: readonly ArgumentResource[];
  /** The variables that its draws hold. */
  readonly draws: 'all' | 'generated quantities';
}

/** Names and sizes of everything that draws have. */
export interface ParametersResource {
  readonly id?: string;
  readonly name: string;
  readonly params: readonly {
    readonly name: string;
    readonly dims: readonly number[];
    readonly constrained_names: readonly string[];
  }[];
}

/** A finished fit, with what it was asked for. */
export interface FitResource {
  /** `models/<model_id>/fits/<fit_id>` */
  readonly name: string;
  readonly function: string;
  readonly arguments: object;
  readonly random_seed: number;
  readonly chains: readonly number[];
  readonly created: string;
  readonly ended?: string;
  /** On disk. */
  readonly bytes: number;
}

/** What is told about a quantity of the posterior; NaN where the draws cannot say it. */
export interface VariableSummaryResource {
  readonly name: string;
  readonly mean: number;
  readonly mcse_mean: number;
  readonly sd: number;
  readonly mcse_sd: number;
  readonly q5: number;
  readonly q50: number;
  readonly q95: number;
  readonly ess_bulk: number;
  readonly ess_tail: number;
  readonly rhat: number;
}

export interface SummaryResource {
  /** The fit's. */
  readonly name: string;
  readonly chains: readonly number[];
  /** Of each chain, after warmup. */
  readonly draws: number;
  readonly variables: readonly VariableSummaryResource[];
}

/** One thing that was looked at. */
export interface FindingResource {
  readonly check: 'draws' | 'divergences' | 'treedepth' | 'energy' | 'rhat' | 'ess';
  readonly ok: boolean;
  /** What was found, and what may be done about it. */
  readonly message: string;
  /** Quantities or chains concerned, the worst first. */
  readonly concerns: readonly { readonly name: string; readonly value: number }[];
}

export interface DiagnosisResource {
  /** The fit's. */
  readonly name: string;
  /** Whether nothing was found that needs attention. */
  readonly ok: boolean;
  readonly findings: readonly FindingResource[];
  /** All messages, a paragraph each. */
  readonly text: string;
}

/** A value of Stan's JSON data format; numbers may be NaN and infinite, arrays may be typed. */
export type StanValue =
  | number
  | string
  | Float64Array
  | Float32Array
  | Int32Array
  | readonly StanValue[]
  | { readonly [name: string]: StanValue };

/** Values of variables by name. */
export type Variables = Readonly<Record<string, StanValue>>;

/** A request for a fit: the function, and whatever that function takes (`Client.functions`). */
export interface FitRequest {
  /** Full name, such as `stan::services::sample::hmc_nuts_diag_e_adapt`. */
  readonly function: string;
  readonly data?: Variables;
  /** Initial values, or the name of a finished fit. */
  readonly init?: Variables | string;
  readonly num_chains?: number;
  readonly random_seed?: number;
  readonly [argument: string]: unknown;
}

/** A message of a fit. */
export type Message = { readonly version: 1; readonly chain?: number } & (
  | { readonly topic: 'logger'; readonly values: readonly [string] }
  | { readonly topic: 'initialization'; readonly values: readonly number[] }
  /** A draw, or a text among the draws. */
  | { readonly topic: 'sample'; readonly values: Readonly<Record<string, number>> | readonly [string] }
  | { readonly topic: 'diagnostic'; readonly values: Readonly<Record<string, number>> }
);

/** A draw of a chain; its values in the order of the fit's columns. */
export interface Draw {
  readonly chain: number;
  /** Whether it is of a sampler's warmup, whose draws are there when the fit was asked to save them. */
  readonly warmup: boolean;
  readonly values: Readonly<Record<string, number>>;
}
