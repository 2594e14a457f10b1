/** Resolves a call to one of a program's functions by the values of its arguments. */

import { Misfit } from '../../chain/refusal.js';
import { type CallableFunction, showSignature } from '../../derive/callable.js';
import type { StanJson } from '../../formats/stan-json.js';
import { declaredName, isUnnormalizedName, suffixOf } from '../../language/suffixes.js';
import { nearestName } from '../../language/suggestion.js';
import { showType } from '../../language/types.js';
import { fitValue, withPairs } from './argument-values.js';

/** A function and its arguments, with the sizes of each argument. */
export interface ChosenFunction {
  readonly called: CallableFunction;
  readonly args: readonly StanJson[];
  readonly sizes: readonly (readonly number[])[];
}

/**
 * The overload with the fewest promotions, as in Stan. `signature` lists the parameter types if the JSON values do not determine them.
 * Throws `Misfit` unless exactly one overload is best.
 */
export function chooseFunction(
  functions: readonly CallableFunction[],
  name: string,
  args: readonly StanJson[],
  signature: readonly string[] | undefined,
): ChosenFunction {
  refuseUncallable(name);
  const named = functions.filter((each) => each.name === name);
  if (named.length === 0) throw new Misfit(unknownFunction(functions, name));
  const candidates = signature === undefined ? named : named.filter((each) => hasTypes(each, signature));
  if (candidates.length === 0) {
    throw new Misfit(
      `no function ${name} has parameters of the types (${signature?.join(', ')}), but ${listOf(named)}`,
    );
  }
  const attempts = candidates.map((called) => attempt(called, args));
  const fitting = attempts.filter((each) => 'sizes' in each);
  const least = Math.min(...fitting.map(({ cost }) => cost));
  const best = fitting.filter(({ cost }) => cost === least);
  const [chosen] = best;
  if (best.length > 1) {
    const types = best.map(({ called }) => listOf([called])).join(', ');
    throw new Misfit(
      `the arguments fit more than one function: ${types}. Choose one by "signature", the types of its parameters`,
    );
  }
  if (chosen !== undefined) return chosen;
  const problems = attempts.map((each) => ('problem' in each ? `${listOf([each.called])}: ${each.problem}` : ''));
  throw new Misfit(
    problems.length === 1 ? problems[0] : `no function ${name} takes these arguments\n${problems.join('\n')}`,
  );
}

function refuseUncallable(name: string): void {
  const suffix = suffixOf(name);
  if (suffix === 'lp' || suffix === 'jacobian') {
    const what = suffix === 'lp' ? 'the log density of a model' : 'the Jacobian of a transform';
    throw new Misfit(`${name} changes ${what}, which exists only while the model is evaluated`);
  }
  if (isUnnormalizedName(name)) {
    throw new Misfit(
      `${name} drops constant terms and can only be called inside of a density. Call ${declaredName(name)}`,
    );
  }
}

function unknownFunction(functions: readonly CallableFunction[], name: string): string {
  const names = new Set(functions.map((each) => each.name));
  if (names.size === 0) return 'the program declares no functions';
  const nearest = nearestName(name, names);
  return `the program declares no function ${name}${nearest === undefined ? `, but ${[...names].join(', ')}` : `. Did you mean ${nearest}?`}`;
}

function hasTypes({ parameters }: CallableFunction, signature: readonly string[]): boolean {
  const plain = (text: string): string => text.replace(/\s+/g, '');
  return (
    parameters.length === signature.length &&
    parameters.every(({ type }, index) => plain(showType(type)) === plain(signature[index]))
  );
}

type Attempt =
  | (ChosenFunction & { readonly cost: number })
  | { readonly called: CallableFunction; readonly problem: string };

function attempt(called: CallableFunction, args: readonly StanJson[]): Attempt {
  const { parameters } = called;
  if (parameters.length !== args.length) {
    return { called, problem: `takes ${parameters.length} arguments, but ${args.length} were given` };
  }
  const sizes: (readonly number[])[] = [];
  let cost = 0;
  for (const [index, { name, type }] of parameters.entries()) {
    const found = fitValue(args[index], type, name);
    if ('problem' in found) return { called, problem: found.problem };
    sizes.push(found.sizes);
    cost += found.cost;
  }
  return { called, args: args.map((value, index) => withPairs(value, parameters[index].type)), sizes, cost };
}

function listOf(functions: readonly CallableFunction[]): string {
  return functions.map(showSignature).join(', ');
}
