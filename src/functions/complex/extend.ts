import type { Builder } from '../../ir/builder.js';
import type { Value } from '../../ir/value.js';
import { isComplex } from '../../language/promotion.js';
import type { Call, Documentation, FunctionEntry } from '../entry.js';
import { bothOf, type Pattern, signaturesOf } from '../signatures.js';

/** A function of complex arguments. It may call `real`, the entry of the same name for real arguments. */
export interface ComplexRow {
  readonly name: string;
  /** Set if the function is only defined for complex arguments. */
  readonly documentation: Documentation | null;
  readonly patterns: readonly Pattern[];
  readonly build: (builder: Builder, args: readonly Value[], call: Call, real: RealBuild) => Value;
}

export type RealBuild = (builder: Builder, args: readonly Value[], call: Call) => Value;

/** Adds complex signatures to the entries of the families, and one family with the functions that have no real signatures. */
export function withComplex(
  families: readonly (readonly FunctionEntry[])[],
  rows: readonly ComplexRow[],
): readonly (readonly FunctionEntry[])[] {
  const byName = new Map(rows.map((row) => [row.name, row]));
  const extended = families.map((family) =>
    family.map((entry) => {
      const row = byName.get(entry.name);
      if (row === undefined) return entry;
      byName.delete(entry.name);
      return merged(entry, row);
    }),
  );
  return [...extended, [...byName.values()].map(alone)];
}

function merged(entry: FunctionEntry, row: ComplexRow): FunctionEntry {
  return {
    ...entry,
    signatures: bothOf(entry.signatures, signaturesOf(row.name, row.patterns)),
    build: (builder, args, call) =>
      args.some(({ type }) => isComplex(type))
        ? row.build(builder, args, call, entry.build)
        : entry.build(builder, args, call),
  };
}

function alone(row: ComplexRow): FunctionEntry {
  const { name, documentation } = row;
  if (documentation === null) throw new Error(`No documentation of the complex function ${name}`);
  const real: RealBuild = () => {
    throw new Error(`${name} has no entry over real arguments`);
  };
  return {
    name,
    family: 'complex numbers',
    documentation,
    signatures: signaturesOf(name, row.patterns),
    build: (builder, args, call) => row.build(builder, args, call, real),
  };
}

/** A function that also exists for real arguments. */
export function complexRow(name: string, patterns: readonly Pattern[], build: ComplexRow['build']): ComplexRow {
  return { name, documentation: null, patterns, build };
}

/** A function that accepts only complex numbers. */
export function complexFunction(
  name: string,
  documentation: string | Documentation,
  patterns: readonly Pattern[],
  build: (builder: Builder, args: readonly Value[], call: Call) => Value,
): ComplexRow {
  const words = typeof documentation === 'string' ? { computes: documentation } : documentation;
  return { name, documentation: words, patterns, build };
}
