import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FUNCTIONS } from '../../src/functions/table.js';
import { Builder, container, Names, scalar } from '../../src/ir/builder.js';
import { composite } from '../../src/ir/composite.js';
import { get } from '../../src/ir/expressions.js';
import type { Block, Expr } from '../../src/ir/nodes.js';
import type { Value } from '../../src/ir/value.js';
import type { AutodiffLevel, Type } from '../../src/language/types.js';
import {
  arrayOf,
  COMPLEX,
  COMPLEX_MATRIX,
  COMPLEX_VECTOR,
  INT,
  MATRIX,
  partsOf,
  REAL,
  ROW_VECTOR,
  sameType,
  unwindArray,
  VECTOR,
} from '../../src/language/types.js';
import { packageRoot } from '../../src/node/package-root.js';
import { Evaluator, type Kernels } from './evaluate.js';

/** An argument of a call as a test writes it; `elements` of a complex one are its real parts, `imaginary` the others. */
export interface Given {
  readonly type: Type;
  readonly level: AutodiffLevel;
  readonly sizes: readonly number[];
  readonly elements: readonly number[];
  readonly imaginary?: readonly number[];
}

const given = (type: Type, sizes: readonly number[], elements: readonly number[]): Given => ({
  type,
  level: 'data',
  sizes,
  elements,
});

export const real = (x: number): Given => given(REAL, [], [x]);
export const int = (n: number): Given => given(INT, [], [n]);
export const vector = (...x: number[]): Given => given(VECTOR, [x.length], x);
export const rowVector = (...x: number[]): Given => given(ROW_VECTOR, [x.length], x);
export const ints = (...n: number[]): Given => given(arrayOf(INT), [n.length], n);
/** Columns are written one after another. */
export const matrix = (rows: number, ...x: number[]): Given => given(MATRIX, [rows, x.length / rows], x);
export const complex = (re: number, im: number): Given => ({ ...given(COMPLEX, [], [re]), imaginary: [im] });
export const complexVector = (re: readonly number[], im: readonly number[]): Given => ({
  ...given(COMPLEX_VECTOR, [re.length], re),
  imaginary: im,
});
/** Columns are written one after another. */
export const complexMatrix = (rows: number, re: readonly number[], im: readonly number[]): Given => ({
  ...given(COMPLEX_MATRIX, [rows, re.length / rows], re),
  imaginary: im,
});
export const parameter = (argument: Given): Given => ({ ...argument, level: 'autodiff' });

export interface Evaluated {
  readonly value: number | readonly number[];
  /** The term that a `_jacobian` function adds to the log density. */
  readonly jacobian: number;
  readonly block: Block;
}

/** The value of a library call, computed by interpreting its IR; throws `Stopped` if a check fails. */
export function evaluate(name: string, ...args: readonly Given[]): Evaluated {
  return evaluateWith(loadKernels(), name, args);
}

/** The same with kernels that the caller has instantiated. */
export function evaluateWith(kernels: Kernels, name: string, args: readonly Given[]): Evaluated {
  const { builder, evaluator, values, entry, result } = prepare(name, args, kernels);
  const jacobian = (term: Expr): void => builder.target(term);
  let value: Value | undefined;
  const block = builder.capture(() => {
    const made = entry.build(builder, values, { name, result, dropConstants: false, jacobian });
    value = made.kind === 'container' ? builder.materialize(made) : made;
  });
  evaluator.run(block);
  const added = { block, jacobian: evaluator.target };
  if (value?.kind === 'container' && value.ref !== null) return { value: evaluator.elements(value.ref), ...added };
  if (value?.kind === 'scalar') return { value: evaluator.value(value.value), ...added };
  throw new Error(`${name} gave a value that the test cannot read`);
}

/** The real and imaginary parts of the complex value of a call, in the form that `evaluate` returns. */
export function evaluateParts(name: string, ...args: readonly Given[]): readonly (number | readonly number[])[] {
  const { builder, evaluator, values, entry, result } = prepare(name, args, loadKernels());
  const parts: Value[] = [];
  const block = builder.capture(() => {
    const made = entry.build(builder, values, { name, result, dropConstants: false, jacobian: null });
    if (made.kind !== 'composite') throw new Error(`${name} gave a value without parts`);
    parts.push(...made.parts.map((part) => (part.kind === 'container' ? builder.materialize(part) : part)));
  });
  evaluator.run(block);
  return parts.map((part) => {
    if (part.kind === 'scalar') return evaluator.value(part.value);
    if (part.kind === 'container' && part.ref !== null) return evaluator.elements(part.ref);
    throw new Error(`${name} gave a value that the test cannot read`);
  });
}

export interface Tilde {
  /** The value with `~`, and with constants. */
  readonly kept: number;
  readonly constants: number;
  readonly block: Block;
}

/** The terms that `args[0] ~ …` adds to the target. */
export function tilde(name: string, ...args: readonly Given[]): Tilde {
  const { builder, evaluator, values, entry, result } = prepare(name, args, loadKernels());
  const block = builder.capture(() =>
    entry.addTo?.(
      builder,
      values,
      { add: (inner, value, term) => inner.target(value, term) },
      { name, result, dropConstants: true, jacobian: null },
    ),
  );
  evaluator.run(block);
  return { kept: evaluator.target, constants: evaluator.constants, block };
}

function prepare(name: string, args: readonly Given[], kernels: Kernels) {
  const entry = FUNCTIONS.entry(name);
  const signature = FUNCTIONS.lookup(name).find(
    ({ parameters }) => parameters.length === args.length && parameters.every((p, k) => sameType(p.type, args[k].type)),
  );
  if (entry === undefined || signature === undefined) throw new Error(`${name} has no such signature`);
  const builder = new Builder(new Names());
  const evaluator = new Evaluator(kernels);
  evaluator.randomState = STATE;
  const placed = (type: Type, { level, sizes }: Given, elements: readonly number[]): Value => {
    const element = unwindArray(type).element.kind === 'int' ? 'int' : 'real';
    if (sizes.length === 0) {
      const local = builder.newLocal(element, 'argument');
      evaluator.set(local, elements[0]);
      return scalar(get(local), level);
    }
    const ref = builder.newRef(element, sizes.length, 'argument');
    evaluator.place(ref, sizes, elements);
    return container(type, level, ref);
  };
  const values = args.map((arg): Value => {
    if (arg.imaginary === undefined) return placed(arg.type, arg, arg.elements);
    const [re, im] = partsOf(arg.type) ?? [];
    return composite(arg.type, [placed(re, arg, arg.elements), placed(im, arg, arg.imaginary)]);
  });
  return { builder, evaluator, values, entry, result: signature.result };
}

/** Addresses below the first free one: the generator's state, after the kernels' own data. */
const STATE = 65536;
const FREE = 66560;

function loadKernels(): Kernels {
  const folder = join(packageRoot(import.meta.dirname), 'build');
  return instantiateKernels(
    (name) => new WebAssembly.Module(new Uint8Array(readFileSync(join(folder, `${name}.wasm`)))),
  ).kernels;
}

/** Both kernel modules over one memory, with a seeded generator. */
export function instantiateKernels(compiled: (name: 'linear' | 'math') => WebAssembly.Module): {
  readonly kernels: Kernels;
  readonly exports: readonly WebAssembly.Exports[];
} {
  const memory = new WebAssembly.Memory({ initial: 16 });
  const module = (name: 'linear' | 'math'): WebAssembly.Exports =>
    new WebAssembly.Instance(compiled(name), { env: { memory } }).exports;
  const [linear, math] = [module('linear'), module('math')];
  const exports: WebAssembly.Exports = { ...linear, ...math };
  const call = (name: string, args: readonly number[]): number => {
    const kernel = exports[name];
    if (typeof kernel !== 'function') throw new Error(`No kernel ${name}`);
    return Number(kernel(...args));
  };
  call('rng_seed', [STATE, 1, 1]);
  return { kernels: { memory, free: FREE, call }, exports: [linear, math] };
}
