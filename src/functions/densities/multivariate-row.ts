import type { Builder } from '../../ir/builder.js';
import { scalar } from '../../ir/builder.js';
import { int, ZERO } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, Value } from '../../ir/value.js';
import { rankOf } from '../../language/types.js';
import { containerOf } from '../broadcast.js';
import { valueOfTerms } from '../density.js';
import type { DensityEntry, Documentation } from '../entry.js';
import { signaturesOf } from '../signatures.js';

/** Receives the terms of a log density, each with the arguments on which it depends. `~` drops a term if all of these are data. */
export type Emit = (value: Expr, ...of: readonly Value[]) => void;

/** Represents a parameter: a term that lists it is kept even if all arguments are data. */
export const KEPT: Value = scalar(ZERO, 'autodiff');

/** Adds the terms of another density. */
export type Include = (density: DensityEntry, ...args: readonly Value[]) => void;

/** The entry of a density that is not elementwise. Its row writes checks and terms, and receives whether constants are dropped. */
export function structured(
  family: string,
  name: string,
  documentation: Documentation,
  patterns: readonly string[],
  write: (builder: Builder, args: readonly Value[], emit: Emit, include: Include, dropsConstants: boolean) => void,
): DensityEntry {
  const addTo: DensityEntry['addTo'] = (builder, args, sink, call) => {
    const emit: Emit = (value, ...of) => {
      const constant = call.dropConstants && of.every(({ level }) => level === 'data');
      sink.add(builder, value, constant ? 'constant' : 'always');
    };
    const include: Include = (density, ...values) => density.addTo(builder, values, sink, call);
    write(builder, args, emit, include, call.dropConstants);
  };
  return {
    name,
    family,
    documentation,
    signatures: signaturesOf(name, patterns),
    addTo,
    build: (builder, args, call) =>
      valueOfTerms(builder, args, (sink) => addTo(builder, args, sink, call), call.dropConstants),
  };
}

/** A vector or an array of vectors, as a list. `many` is null for a single vector, which is used at every position. */
export interface Vectors {
  readonly many: Expr | null;
  readonly size: Expr;
  readonly at: (n: Expr, k: Expr) => Expr;
}

export function vectorsOf(value: Value): Vectors {
  const c: ContainerValue = containerOf(value);
  if (rankOf(c.type) === 1) return { many: null, size: c.sizes[0], at: (_, k) => c.at(k) };
  return { many: c.sizes[0], size: c.sizes[1], at: (n, k) => c.at(n, k) };
}

/** The common number of positions of lists of vectors. */
export function positionsOf(...lists: readonly Vectors[]): Expr {
  return lists.find(({ many }) => many !== null)?.many ?? int(1);
}
