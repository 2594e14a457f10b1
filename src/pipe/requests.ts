/** Requests to the engine process. The response to a request has the same `id`. */
import type { FitChain, FitContents, MethodName, ModelContents } from '../library/public.js';
import type { Caller } from '../requests/argument-names.js';
import type { TypedColumn } from '../tables/typed-columns.js';
import type { ArrayPart, SentValue, SentVariables } from './values.js';

export type EngineRequest = { readonly id: number; readonly parts: readonly number[] } & (
  | SourceRequest
  | { readonly op: 'open'; readonly contents: SentContents }
  | RunRequest
  | {
      readonly op: 'call';
      readonly model: number;
      readonly name: string;
      /** JSON text of an array. */
      readonly arguments: string;
      readonly seed?: number;
      readonly signature?: readonly string[];
    }
  | {
      readonly op: 'profile';
      readonly model: number;
      readonly arrays: readonly ArrayPart[];
      readonly data: SentVariables;
      readonly point?: readonly number[];
      readonly evaluations?: number;
      readonly seed: number;
    }
  /** The request to a server for the arguments of a method. */
  | {
      readonly op: 'method';
      readonly method: MethodName;
      readonly fields: Readonly<Record<string, unknown>>;
      readonly caller: Caller;
    }
  /** Converts arguments for compiling a program from the names of other interfaces. */
  | { readonly op: 'compile arguments'; readonly fields: Readonly<Record<string, unknown>>; readonly caller: Caller }
  /** The table of the argument names of other interfaces. */
  | { readonly op: 'foreign arguments' }
  /** A fit from a server or another process. Parts of each chain: draws and diagnostics, row by row, and `ChainDetails`. */
  | ({ readonly op: 'open fit'; readonly isWhole?: boolean; readonly chains: readonly SentChain[] } & Omit<
      FitContents,
      'chains'
    >)
  | ({ readonly op: 'save fit'; readonly fit: number; readonly path: string; readonly isWhole: boolean } & SentOrigin)
  | { readonly op: 'load fit'; readonly path: string }
  /** A program and its data from a model formula. */
  | {
      readonly op: 'formula';
      readonly formula: string;
      readonly family: string;
      /** `omit` or `parameters`. */
      readonly missing?: string;
      /** Ordered categories of the outcome. */
      readonly order?: readonly string[];
      readonly table: { readonly path: string; readonly sheet?: string } | { readonly columns: readonly TypedColumn[] };
    }
  /** Files, or folders with files. */
  | { readonly op: 'read csv'; readonly paths: readonly string[] }
  | { readonly op: 'cancel'; readonly run: number }
  | { readonly op: 'chain'; readonly fit: number; readonly chain: number }
  | { readonly op: 'summary'; readonly fit: number; readonly variables?: readonly string[] }
  | {
      readonly op: 'plot';
      readonly fit: number;
      readonly kind: string;
      readonly variables?: readonly string[];
      /** Maximum number of plots. */
      readonly most: number;
    }
  | { readonly op: 'diagnose'; readonly fit: number }
  /** The result of a calibration, from its fit, whose draws are ranks. */
  | { readonly op: 'calibration'; readonly fit: number }
  | {
      readonly op: 'plot calibration';
      readonly fit: number;
      readonly kind: 'ranks' | 'ecdf';
      readonly variables?: readonly string[];
      /** Maximum number of plots. */
      readonly most: number;
    }
  /** The result of refits, from their fit, whose draws are estimates. */
  | { readonly op: 'refits'; readonly fit: number }
  /** `loo` of a model, with moment matching or refits. */
  | {
      readonly op: 'model loo';
      readonly model: number;
      readonly fit: number;
      readonly momentMatch: boolean;
      /** Fields of the sampler for refits; absent without refits. */
      readonly exact?: Readonly<Record<string, number>>;
      readonly arrays: readonly ArrayPart[];
      readonly data: SentVariables;
    }
  | { readonly op: 'loo'; readonly fit: number; readonly variable?: string }
  | {
      readonly op: 'compare';
      readonly fits: readonly SentCompared[];
      readonly variable?: string;
      /** For fits with a model, as for `model loo`. */
      readonly momentMatch?: boolean;
      readonly exact?: Readonly<Record<string, number>>;
      /** Arrays in the data of all fits. */
      readonly arrays: readonly ArrayPart[];
    }
  /** The log evidence of each fit, and their comparison if there are several. */
  | {
      readonly op: 'evidence';
      readonly fits: readonly Required<SentCompared>[];
      /** Probabilities of the models before the data; equal if absent. */
      readonly priors?: Readonly<Record<string, number>>;
      readonly seed: number;
      /** Arrays in the data of all fits. */
      readonly arrays: readonly ArrayPart[];
    }
  | { readonly op: 'csv'; readonly fit: number; readonly chain: number; readonly digits?: number }
  | { readonly op: 'release'; readonly model?: number; readonly fit?: number }
  | { readonly op: 'cmdstan'; readonly folder: string }
);

/** A fit in a comparison, with its model and its data if they are known. */
interface SentCompared {
  readonly name: string;
  readonly fit: number;
  readonly of?: { readonly model: number; readonly data: SentVariables };
}

/** A chain of a fit without its draws. `adapted` is given without details. */
type SentChain = Pick<FitChain, 'id' | 'warmup' | 'draws' | 'adapted'>;

/** The program and the data of a fit, if they are known. */
interface SentOrigin {
  readonly source?: ModelContents['source'];
  readonly arrays?: readonly ArrayPart[];
  readonly data?: SentVariables;
}

/** A program, with the folders to search for its `#include`s. */
interface SourceRequest {
  readonly op: 'compile' | 'analyze';
  readonly program: string;
  readonly name?: string;
  readonly includes?: Readonly<Record<string, string>>;
  readonly folders?: readonly string[];
  readonly pedantic?: boolean;
}

/** A run of one of CmdStan's methods. */
export interface RunRequest {
  readonly op: 'run';
  readonly model: number;
  readonly method: MethodName;
  /**
   * The derived program to run: for the method `generate`, one for existing draws; for `sample`, the prior, a
   * calibration, or refits.
   */
  readonly derived?: 'log_lik' | 'replicated' | 'prior' | 'sbc' | 'kfold';
  /** Arguments, by the names of any Stan interface. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Arrays in `data`, `inputs` and `arguments`. */
  readonly arrays: readonly ArrayPart[];
  readonly data: SentVariables;
  /** Arguments that are arrays of numbers, such as `inv_metric`. */
  readonly numbers: Readonly<Record<string, SentValue>>;
  /** Arguments that are values or fits, such as `init`, `mode` and `fitted_params`. */
  readonly inputs: Readonly<Record<string, SentInput>>;
  readonly caller: Caller;
  readonly diagnostics?: boolean;
}

export type SentInput =
  | { readonly fit: number }
  | { readonly values: SentVariables }
  | { readonly list: readonly SentVariables[] };

/** The contents of a model. The module is the first part. */
type SentContents = Omit<ModelContents, 'wasm'>;

/** Requests to an evaluator process. */
export type EvaluatorRequest = { readonly parts: readonly number[] } & (
  | {
      readonly op: 'open';
      readonly contents: SentContents;
      readonly arrays: readonly ArrayPart[];
      readonly data: SentVariables;
      readonly seed: number;
      readonly threads?: number;
      /** Whether responses have what the program has printed in the member `printed` of their headers. */
      readonly prints?: boolean;
    }
  | ({ readonly op: 'names' } & OutputParts)
  | ({ readonly op: 'constrain'; readonly seed: number } & OutputParts)
  | { readonly op: 'unconstrain'; readonly arrays: readonly ArrayPart[]; readonly values: SentVariables }
  /** Draws, row by row. */
  | { readonly op: 'unconstrain draw' }
  | { readonly op: 'hessian'; readonly jacobian: boolean; readonly propto: boolean; readonly memory?: number }
);

interface OutputParts {
  readonly transformedParameters: boolean;
  readonly generatedQuantities: boolean;
}
