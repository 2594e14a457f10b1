/** Documentation of the function library, for completion and hover texts. */
import type { FunctionTable } from '../functions/table.js';

export interface FunctionHelp {
  readonly name: string;
  /** Signatures, such as `(reals, reals) => real`. */
  readonly signatures: readonly string[];
  /** A one-sentence description. */
  readonly computes: string;
  readonly domain?: string;
}

/**
 * A function of the library, found by its name, by the name of its unnormalized density, or by the name of its
 * distribution after `~`.
 */
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

/** Every function that a program can call, in alphabetical order. */
export function allHelp(table: FunctionTable): readonly FunctionHelp[] {
  return [...table.names()].sort().flatMap((name) => helpFor(table, name) ?? []);
}
