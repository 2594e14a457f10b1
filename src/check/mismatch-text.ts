import type { FunctionSuffix, FunctionType, Type } from '../language/types.js';
import { parametersMarkup, quote, showMarkup } from './layout.js';
import type { ArgumentFault, FunctionFault, Misfit, Mismatch } from './mismatch.js';

/** Maximum number of signatures in a message. */
export const SHOWN = 5;

/** The message that no signature of a function accepts the arguments: the nearest signatures, each with the reason. */
export function describeMisfits(name: string, args: readonly Type[], misfits: readonly Misfit[]): string {
  const names = new FunctionNames();
  const given = names.explained(() => `(@[<hov>${args.map((type) => names.show(type)).join(',@ ')}@])`);
  const signatures = misfits.slice(0, SHOWN).map(({ signature, mismatch }) => {
    const type: FunctionType = { kind: 'function', parameters: signature.parameters, result: signature.result };
    const header = names.explained(() => names.define(type));
    return `${header}@ @[<hov 2>  ${explain(names, mismatch)}@]`;
  });
  const omitted = misfits.length > SHOWN ? '@,(Additional signatures omitted)' : '';
  return `@[<v>Ill-typed arguments supplied to function ${quote(name)}:@ ${given}@ Available signatures:@ ${signatures.join('@,')}${omitted}@]`;
}

/** The problem with the arguments that one function forwards to another; `skipped` names those that it adds itself. */
export function describeFault(fault: FunctionFault, skipped: readonly string[] = []): string {
  switch (fault.kind) {
    case 'suffix':
      return `@[<hov>Expected ${SUFFIXES[fault.expected]} but got ${SUFFIXES[fault.found]}.@]`;
    case 'result':
      return `@[<hov>Expected function returning ${showMarkup(fault.expected)} but got function returning ${showMarkup(fault.found)}.@]`;
    case 'input':
      return describeInput(fault.mismatch, skipped);
  }
}

function describeInput(mismatch: Mismatch, skipped: readonly string[]): string {
  const excluded =
    skipped.length === 0 ? '' : ` (excluding the ${skipped.join(',@ ')} ${argumentWord(skipped.length)})`;
  if (mismatch.kind === 'count') {
    const expected = mismatch.expected - skipped.length;
    const found = mismatch.found - skipped.length;
    return `@[<hov>Expected ${expected} ${argumentWord(expected)}${excluded}@ but got ${found} ${argumentWord(found)}.@]`;
  }
  const which = `${ordinal(mismatch.position - skipped.length)} argument${excluded}`;
  const { fault } = mismatch;
  if (fault.kind === 'notData') return `@[<hov>The@ ${which} is marked data-only. ${DATA_ONLY}@]`;
  const names = new FunctionNames();
  return names.explained(
    () => `@[<hov>The ${which} must be@ ${names.show(fault.expected)} but got@ ${names.show(fault.found)}.@]`,
  );
}

/** Stan's reminder of which values are data. */
export const DATA_ONLY = `(${'Local variables are assumed to depend on parameters; same goes for function inputs unless they are marked with the keyword'.replaceAll(' ', '@ ')}@ ${quote('data')}.)`;

const SUFFIXES: Readonly<Record<FunctionSuffix, string>> = {
  plain: 'a pure function',
  rng: 'an rng function',
  lpdf: 'a probability density function',
  lpmf: 'a probability mass function',
  lp: 'an _lp function',
  jacobian: 'a _jacobian function',
};

/** `first` … `fourth`, then `5th`, `21st`, … */
function ordinal(n: number): string {
  const word = ['first', 'second', 'third', 'fourth'][n - 1];
  if (word !== undefined) return word;
  const isTeen = n % 100 > 10 && n % 100 < 14;
  return `${n}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;
}

export function argumentWord(count: number): string {
  return count === 1 ? 'argument' : 'arguments';
}

/** Function types in a message have short names, `<F1>`, which are explained at their first use. */
class FunctionNames {
  readonly #names = new Map<string, { readonly name: string; readonly type: FunctionType }>();

  show(type: Type): string {
    if (type.kind === 'array') {
      return showMarkup(type);
    }
    if (type.kind !== 'function') return showMarkup(type);
    const key = `${type.suffix ?? 'plain'} ${showMarkup(type)}`;
    const entry = this.#names.get(key) ?? { name: `F${this.#names.size + 1}`, type };
    this.#names.set(key, entry);
    return `<${entry.name}>`;
  }

  /** A function type in full, with short names for the function types inside it. */
  define(type: Type): string {
    if (type.kind !== 'function') return this.show(type);
    const parameters = type.parameters.map((parameter) =>
      parameter.type.kind === 'function' ? this.show(parameter.type) : parametersMarkup([parameter]),
    );
    return `@[<hov>(@[<hov>${parameters.join(',@ ')}@]) => ${this.show(type.result)}@]`;
  }

  /** Text, followed by a `where` clause for every function type that was named in it. */
  explained(text: () => string): string {
    const before = new Set(this.#names.keys());
    let markup = `@[<v>${text()}`;
    const fresh = this.#freshLines(before);
    if (fresh !== '') markup += `@,where @[<v>${fresh}@]`;
    return `${markup}@]`;
  }

  #freshLines(before: ReadonlySet<string>): string {
    const fresh = [...this.#names].filter(([key]) => !before.has(key)).map(([, entry]) => entry);
    if (fresh.length === 0) return '';
    const seen = new Set(this.#names.keys());
    const lines = fresh.map(({ name, type }) => `${name} = @[<hov>${this.define(type)}@]`).join('@,');
    const more = this.#freshLines(seen);
    return more === '' ? lines : `${lines}@,${more}`;
  }
}

function explain(names: FunctionNames, mismatch: Mismatch): string {
  if (mismatch.kind === 'count') {
    const { expected, found } = mismatch;
    return `Expected ${expected} ${argumentWord(expected)} but found ${found} ${argumentWord(found)}.`;
  }
  return explainArgument(names, ordinal(mismatch.position), mismatch.fault);
}

function explainArgument(names: FunctionNames, position: string, fault: ArgumentFault): string {
  if (fault.kind === 'notData') return `@[<hov>The@ ${position}@ argument must be data-only.@ ${DATA_ONLY}@]`;
  const { expected, found, detail } = fault;
  if (detail === undefined) {
    return `@[<hv>The ${position} argument must be@, ${names.show(expected)}@ but got@, ${names.show(found)}@]`;
  }
  if (detail.kind === 'suffix') {
    return `@[<v>The ${position} argument must be ${SUFFIXES[detail.expected]} but got ${SUFFIXES[detail.found]}. These function types are not compatible.@]`;
  }
  const head = `@[<v>The ${position} argument must be@, ${names.define(expected)}@ but got@, ${names.define(found)}@ `;
  if (detail.kind === 'result') return `${head}The return types are not compatible.@]`;
  return `${head}@[<v 2>These are not compatible because:@ @[<hov>${explainInner(names, detail.mismatch)}@]@]@]`;
}

function explainInner(names: FunctionNames, mismatch: Mismatch): string {
  if (mismatch.kind === 'count') {
    const { expected, found } = mismatch;
    return `One takes ${expected} ${argumentWord(expected)} but the other takes ${found} ${argumentWord(found)}.`;
  }
  const position = ordinal(mismatch.position);
  const { fault } = mismatch;
  if (fault.kind === 'notData') {
    return `@[<hov>The@ ${position}@ argument@ has@ an@ incompatible@ data-qualifier.@]`;
  }
  const { expected, found, detail } = fault;
  if (detail === undefined) {
    return `@[<hv>The types for the ${position} argument are incompatible: one is@, ${names.show(expected)}@ but the other is@, ${names.show(found)}@]`;
  }
  if (detail.kind === 'suffix') {
    return `@[<v>The ${position} argument is ${SUFFIXES[detail.expected]} but the other is ${SUFFIXES[detail.found]}. These function types are not compatible.@]`;
  }
  if (detail.kind === 'result') {
    return `@[<v>The ${position} argument must be@, ${names.define(expected)}@ but got@, ${names.define(found)}@ The return types are different.@]`;
  }
  return `@[<v>The types for the ${position} argument are incompatible: one is@, ${names.define(expected)}@ but the other is@, ${names.define(found)}@ @[<v>These are not compatible because:@ @[<hov>${explainInner(names, detail.mismatch)}@]@]@]`;
}
