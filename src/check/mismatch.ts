import { acceptsLevel } from '../language/levels.js';
import type { Argument } from '../language/overloads.js';
import { promotionCost, scalarOf } from '../language/promotion.js';
import { compareTypes, type Signature } from '../language/signature.js';
import {
  type FunctionParameter,
  type FunctionSuffix,
  type FunctionType,
  rankOf,
  sameType,
  type Type,
} from '../language/types.js';

/** The reason why a call does not match a signature. `position` is one-based. */
export type Mismatch =
  | { readonly kind: 'count'; readonly expected: number; readonly found: number }
  | { readonly kind: 'argument'; readonly position: number; readonly fault: ArgumentFault };

/** The reason why an argument does not match its parameter. */
export type ArgumentFault =
  | { readonly kind: 'notData' }
  | { readonly kind: 'type'; readonly expected: Type; readonly found: Type; readonly detail?: FunctionFault };

/** The reason why a function cannot be passed as an argument. */
export type FunctionFault =
  | { readonly kind: 'suffix'; readonly expected: FunctionSuffix; readonly found: FunctionSuffix }
  | { readonly kind: 'result'; readonly expected: Type; readonly found: Type }
  | { readonly kind: 'input'; readonly mismatch: Mismatch };

/** Nesting depth inside function types: promotion is allowed down to 1, conversion of data to autodiff down to 2. */
type Depth = number;

/** The first mismatch of arguments and parameters; undefined if they match. */
export function mismatchOf(
  parameters: readonly FunctionParameter[],
  args: readonly Argument[],
  depth: Depth = 0,
): Mismatch | undefined {
  if (parameters.length !== args.length) return { kind: 'count', expected: parameters.length, found: args.length };
  for (let i = 0; i < args.length; i++) {
    const fault = faultOf(parameters[i], args[i], depth);
    if (fault !== undefined) return { kind: 'argument', position: i + 1, fault };
  }
  return undefined;
}

function faultOf(parameter: FunctionParameter, argument: Argument, depth: Depth): ArgumentFault | undefined {
  const fault = typeFault(parameter.type, argument.type, depth);
  if (fault !== undefined) return fault;
  if (parameter.level === argument.level) return undefined;
  return depth < 2 && acceptsLevel(parameter.level, argument.level) ? undefined : { kind: 'notData' };
}

/** The reason why a value of type `found` cannot be used as `expected`; undefined if it can. */
export function typeFault(expected: Type, found: Type, depth: Depth = 0): ArgumentFault | undefined {
  if (expected.kind === 'function' && found.kind === 'function') {
    if (sameType(expected, found)) return undefined;
    const detail = functionFault(expected, found, depth);
    return detail && { kind: 'type', expected, found, detail };
  }
  const cost = promotionCost(expected, found);
  return cost === 0 || (cost !== undefined && depth < 1) ? undefined : { kind: 'type', expected, found };
}

function functionFault(expected: FunctionType, found: FunctionType, depth: Depth): FunctionFault | undefined {
  const wanted = expected.suffix ?? 'plain';
  const given = found.suffix ?? 'plain';
  if (wanted !== given) return { kind: 'suffix', expected: wanted, found: given };
  if (!sameType(expected.result, found.result)) {
    return { kind: 'result', expected: expected.result, found: found.result };
  }
  const mismatch = mismatchOf(found.parameters, expected.parameters, depth + 1);
  return mismatch && { kind: 'input', mismatch };
}

/** A signature that does not match, and the reason. */
export interface Misfit {
  readonly signature: Pick<Signature, 'parameters' | 'result'>;
  readonly mismatch: Mismatch;
}

/** The misfits of a call in Stan's order: the nearest first. */
export function misfitsOf(signatures: readonly Misfit['signature'][], args: readonly Argument[]): Misfit[] {
  const misfits: Misfit[] = [];
  for (const signature of [...signatures].sort((a, b) => compareTypes(a.result, b.result))) {
    const mismatch = mismatchOf(signature.parameters, args);
    if (mismatch !== undefined) misfits.push({ signature, mismatch });
  }
  return misfits.sort((a, b) => compareMismatches(a.mismatch, b.mismatch));
}

function compareMismatches(a: Mismatch, b: Mismatch): number {
  if (a.kind === 'count') return b.kind === 'count' ? 0 : 1;
  if (b.kind === 'count') return -1;
  if (a.position !== b.position) return b.position - a.position;
  return compareFaults(a.fault, b.fault);
}

function compareFaults(a: ArgumentFault, b: ArgumentFault): number {
  if (a.kind === 'notData') return b.kind === 'notData' ? 0 : -1;
  if (b.kind === 'notData') return 1;
  if (a.detail === undefined && b.detail === undefined) {
    return compareTypes(a.found, b.found) || compareNearness(a.found, a.expected, b.expected);
  }
  if (a.detail === undefined) return -1;
  if (b.detail === undefined) return 1;
  if (a.detail.kind === 'input' && b.detail.kind === 'input') {
    return compareMismatches(a.detail.mismatch, b.detail.mismatch);
  }
  if (a.detail.kind === b.detail.kind) return 0;
  return a.detail.kind === 'suffix' || b.detail.kind === 'input' ? -1 : 1;
}

/** Compares how near two types are to `type`: by the number of dimensions, then by the scalar inside. */
function compareNearness(type: Type, a: Type, b: Type): number {
  const byRank = nearer(rankOf(a) === rankOf(type), rankOf(b) === rankOf(type));
  if (byRank !== 0) return byRank;
  const scalar = scalarOf(type);
  return nearer(sameType(scalarOf(a), scalar), sameType(scalarOf(b), scalar)) || compareTypes(a, b);
}

function nearer(a: boolean, b: boolean): number {
  return Number(b) - Number(a);
}
