import { FUNCTIONS } from '../../../src/functions/table.js';
import { INFIX, operatorSignatures, PREFIX } from '../../../src/language/operators.js';
import type { Signature } from '../../../src/language/signature.js';
import { showType, type Type, unwindArray } from '../../../src/language/types.js';

export interface Operation {
  readonly operator: string;
  readonly operands: readonly Type[];
}

const MOST_ARRAYS = 2;

function isModest({ parameters }: Signature): boolean {
  return parameters.every(({ type }) => unwindArray(type).depth <= MOST_ARRAYS && type.kind !== 'function');
}

function grouped<T>(items: readonly (readonly [type: Type, item: T])[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const [type, item] of items) {
    const key = showType(type);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}

/** The operators of the library for a result of each type, and its functions by name. */
export class Library {
  readonly #operations = grouped(
    [...Object.entries(INFIX), ...Object.entries(PREFIX)].flatMap(([operator, functions]) =>
      functions
        .flatMap((name) => operatorSignatures(name).filter(isModest))
        .map(({ parameters, result }) => [result, { operator, operands: parameters.map(({ type }) => type) }] as const),
    ),
  );
  readonly #functions: ReadonlyMap<string, ReadonlyMap<string, readonly Signature[]>>;

  constructor() {
    const signatures = [...FUNCTIONS.entries()].flatMap(({ name }) => FUNCTIONS.lookup(name).filter(isModest));
    const byResult = new Map<string, Map<string, Signature[]>>();
    for (const signature of signatures) {
      const key = showType(signature.result);
      const names = byResult.get(key) ?? new Map<string, Signature[]>();
      byResult.set(key, names);
      names.set(signature.name, [...(names.get(signature.name) ?? []), signature]);
    }
    this.#functions = byResult;
  }

  operations(result: Type): readonly Operation[] {
    return this.#operations.get(showType(result)) ?? [];
  }

  functions(result: Type): ReadonlyMap<string, readonly Signature[]> {
    return this.#functions.get(showType(result)) ?? new Map();
  }
}
