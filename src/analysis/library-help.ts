/** Documentation of the function library, for completion and hover texts. */
import type { FunctionTable } from '../functions/table.js';

export interface FunctionHelp {
  readonly name: string;
  /** Ways to call it, `(reals, reals) => real`. */
  readonly signatures: readonly string[];
  /** What it computes, in a sentence. */
  readonly computes: string;
  readonly domain?: string;
}

/** A function of the library under its own name, under that of an unnormalized density, or under a distribution's after `~`. */
export function helpFor(table: FunctionTable, name: string): FunctionHelp | undefined {
  for (const full of [name, `${name}_lpdf`, `${name}_lpmf`]) {
    const entry = table.entry(full);
    if (entry === undefined || table.lookup(full).length === 0) continue;
    const { computes, domain } = entry.documentation;
    const signatures = entry.signatures.patterns.map(String);
    return { name: full, signatures, computes, ...(domain !== undefined && { domain }) };
  }
  return undefined;
}

/** Every function that a program may call, in alphabetical order. */
export function allHelp(table: FunctionTable): readonly FunctionHelp[] {
  return [...table.names()].sort().flatMap((name) => helpFor(table, name) ?? []);
}
