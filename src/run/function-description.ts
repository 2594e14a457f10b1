/** The inputs and arguments of functions of the services namespace, as data. */
import type { Argument, Input } from '../inference/algorithms/arguments.js';

/** An input of a function other than its arguments. */
export interface InputDescription {
  readonly name: Input;
  readonly required: boolean;
  readonly description: string;
}

/** An argument, or the list of names that every function takes and that no algorithm uses. */
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
  /** Whether draws hold everything that the program declares or its generated quantities alone. */
  readonly draws: 'all' | 'generated quantities';
}
