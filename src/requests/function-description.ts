/** Descriptions of the inputs and arguments of functions of the services namespace. */
import type { Argument, Input } from '../inference/algorithms/arguments.js';

/** An input of a function other than its arguments. */
export interface InputDescription {
  readonly name: Input;
  readonly required: boolean;
  readonly description: string;
}

/** An argument of an algorithm, or the argument `save` of every function, a list of names. */
export type ArgumentDescription =
  | Argument
  | { readonly name: string; readonly type: 'array'; readonly elements: 'string'; readonly description: string };

/** The inputs and arguments of a function, for clients. */
export interface FunctionDescription {
  /** Full name, `stan::services::…`. */
  readonly name: string;
  readonly short_name: string;
  readonly description: string;
  readonly inputs: readonly InputDescription[];
  readonly arguments: readonly ArgumentDescription[];
  /** Whether draws contain all variables of the program, or only its generated quantities. */
  readonly draws: 'all' | 'generated quantities';
}
