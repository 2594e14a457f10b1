/** Functions that a program declares, as methods. */
import type { FunctionValue } from '../engine/calls/function-call.js';
import type { StanValue } from '../requests/variables.js';

export interface CallOptions {
  /** Seed of a function whose name ends in `_rng`, from 0 to 4294967295; random by default. */
  readonly seed?: number;
  /** Types of the parameters, such as `['vector', 'array[] int']`, if the values match several overloads. */
  readonly signature?: readonly string[];
  /** Aborting this signal ends the call and its thread. */
  readonly signal?: AbortSignal;
}

/**
 * Functions by name. Each accepts values in Stan's JSON format and resolves to the result in this format, or to null
 * for a function that returns nothing.
 */
export type ProgramFunctions = Readonly<
  Record<string, (...args: readonly StanValue[]) => Promise<FunctionValue['result']>>
>;

export function programFunctions(
  call: (name: string, args: readonly StanValue[]) => Promise<FunctionValue>,
): ProgramFunctions {
  return new Proxy<ProgramFunctions>(
    {},
    {
      get(_, name) {
        // An object with a method `then` would be awaited as a promise.
        if (typeof name === 'symbol' || name === 'then') return undefined;
        return async (...args: readonly StanValue[]) => (await call(name, args)).result;
      },
    },
  );
}
