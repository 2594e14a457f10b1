import type { Builder } from '../ir/builder.js';
import type { Value } from '../ir/value.js';
import type { Call, Documentation, FunctionEntry } from './entry.js';
import { type Pattern, signaturesOf } from './signatures.js';

/** Converts a sentence to documentation. */
export function documented(documentation: string | Documentation): Documentation {
  return typeof documentation === 'string' ? { computes: documentation } : documentation;
}

/** Returns the constructor of the rows of a family, with name, description, signatures and the IR of a call. */
export function rowsOf(
  family: string,
): (
  name: string,
  documentation: string | Documentation,
  patterns: readonly Pattern[],
  build: (builder: Builder, args: readonly Value[], call: Call) => Value,
) => FunctionEntry {
  return (name, documentation, patterns, build) => ({
    name,
    family,
    documentation: documented(documentation),
    signatures: signaturesOf(name, patterns),
    build,
  });
}
