import { append } from '../base/multimap.js';
import { acceptsLevel, type Level } from './levels.js';
import { promotionCost } from './promotion.js';
import type { Signature } from './signature.js';
import type { FunctionType, Type } from './types.js';

/** The signatures of the function library. */
export interface FunctionSignatures {
  /** All signatures of a name, in any order; empty for an unknown name. */
  lookup(name: string): readonly Signature[];
  /** Whether Stan has a function of this name, but no signature is supported. */
  isKnownButUnsupported(name: string): boolean;
  /** All names, for "Did you mean". */
  names(): Iterable<string>;
}

/** The properties of an argument that overload resolution uses. */
export interface Argument {
  readonly type: Type;
  readonly level: Level;
}

/** The outcome of overload resolution. */
export type Resolution<S> =
  | { readonly kind: 'match'; readonly signature: S }
  | { readonly kind: 'ambiguous'; readonly signatures: readonly S[] }
  | { readonly kind: 'none' };

/**
 * Stan's overload resolution: the signature with the fewest promotions among those that accept the arguments. Source: Stan Reference
 * Manual, "Function application", "Type inference with overloading".
 */
export function resolveOverload<S extends Pick<Signature, 'parameters'>>(
  candidates: readonly S[],
  args: readonly Argument[],
): Resolution<S> {
  let least = Number.POSITIVE_INFINITY;
  let best: S[] = [];
  for (const candidate of candidates) {
    const cost = applicationCost(candidate, args);
    if (cost === undefined || cost > least) continue;
    if (cost < least) best = [];
    best.push(candidate);
    least = cost;
  }
  if (best.length === 0) return { kind: 'none' };
  return best.length === 1 ? { kind: 'match', signature: best[0] } : { kind: 'ambiguous', signatures: best };
}

/** The total cost of a call's promotions; undefined if the signature does not accept the arguments. */
export function applicationCost(
  { parameters }: Pick<Signature, 'parameters'>,
  args: readonly Argument[],
): number | undefined {
  if (parameters.length !== args.length) return undefined;
  let cost = 0;
  for (let i = 0; i < args.length; i++) {
    const { type, level } = parameters[i];
    const argument = args[i];
    const promotion = type.kind === 'function' ? functionCost(type, argument.type) : promotionCost(type, argument.type);
    if (promotion === undefined || !acceptsLevel(level, argument.level)) return undefined;
    cost += promotion;
  }
  return cost;
}

/**
 * The cost of passing a user function as a function type; undefined if it cannot be passed. Nothing is promoted, and the function must not
 * require data for an argument that may be an autodiff value.
 */
function functionCost(wanted: FunctionType, given: Type): number | undefined {
  if (given.kind !== 'function') return undefined;
  if ((wanted.suffix ?? 'plain') !== (given.suffix ?? 'plain')) return undefined;
  if (wanted.parameters.length !== given.parameters.length) return undefined;
  const isSame = (a: Type, b: Type) => promotionCost(a, b) === 0;
  if (wanted.result.kind !== given.result.kind || !isSame(wanted.result, given.result)) return undefined;
  const serves = wanted.parameters.every((parameter, i) => {
    const own = given.parameters[i];
    return isSame(own.type, parameter.type) && acceptsLevel(own.level, parameter.level);
  });
  return serves ? 0 : undefined;
}

/** `FunctionSignatures` for a list of signatures. */
export function signatureTable(
  signatures: Iterable<Signature>,
  unsupported: ReadonlySet<string> = new Set(),
): FunctionSignatures {
  const table = new Map<string, Signature[]>();
  for (const signature of signatures) {
    append(table, signature.name, signature);
  }
  return {
    lookup: (name) => table.get(name) ?? [],
    isKnownButUnsupported: (name) => unsupported.has(name),
    names: () => table.keys(),
  };
}
