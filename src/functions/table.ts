import { HIGHER_ORDER_NAMES } from '../language/higher-order.js';
import type { FunctionSignatures } from '../language/overloads.js';
import type { Signature } from '../language/signature.js';
import type { FunctionEntry } from './entry.js';
import { FAMILIES } from './families.js';

/** Functions without a name in Stan. `int_divide` is only available as the operator `%/%`. */
const UNNAMED: ReadonlySet<string> = new Set(['int_divide']);

/**
 * The function library by name. Signatures are computed when a name is first looked up. Names with `_lupdf` and `_lupmf` refer to the
 * `_lpdf` and `_lpmf` entries.
 */
export class FunctionTable implements FunctionSignatures {
  readonly #entries: ReadonlyMap<string, FunctionEntry>;
  /** In code point order. */
  readonly #names: ReadonlySet<string>;
  readonly #signatures = new Map<string, readonly Signature[]>();

  /** `withoutEntry` are the names of functions that are compiled without an entry. */
  constructor(families: readonly (readonly FunctionEntry[])[], withoutEntry: Iterable<string>) {
    const entries = new Map<string, FunctionEntry>();
    for (const entry of families.flat()) {
      if (entries.has(entry.name)) throw new Error(`Two entries for the function ${entry.name}`);
      entries.set(entry.name, entry);
    }
    this.#entries = entries;
    const named = [...entries.keys()].filter((name) => !UNNAMED.has(name));
    this.#names = new Set([...named, ...withoutEntry].sort());
  }

  entry(name: string): FunctionEntry | undefined {
    return this.#entries.get(name) ?? this.#entries.get(normalized(name));
  }

  lookup(name: string): readonly Signature[] {
    const known = this.#signatures.get(name);
    if (known !== undefined) return known;
    const entry = this.entry(name);
    if (entry === undefined || UNNAMED.has(entry.name)) return [];
    const own = entry.signatures();
    const signatures = name === entry.name ? own : own.map((signature) => ({ ...signature, name }));
    this.#signatures.set(name, signatures);
    return signatures;
  }

  isKnownButUnsupported(name: string): boolean {
    return this.entry(name) === undefined && (this.#names.has(name) || this.#names.has(normalized(name)));
  }

  names(): Iterable<string> {
    return this.#names;
  }

  entries(): Iterable<FunctionEntry> {
    return this.#entries.values();
  }
}

/** The name of the normalized density for the name of an unnormalized density. */
function normalized(name: string): string {
  return name.replace(/_lupdf$/, '_lpdf').replace(/_lupmf$/, '_lpmf');
}

export const FUNCTIONS = new FunctionTable(FAMILIES, HIGHER_ORDER_NAMES);
