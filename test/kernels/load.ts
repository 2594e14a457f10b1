// Instantiates the built kernels for tests, with lane functions made callable on pairs of numbers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import binaryen from 'binaryen';
import { ROOT } from '../project/tree.js';

type Numeric = (...values: number[]) => number;

interface Signature {
  params: string[];
  results: string[];
}

const build = join(ROOT, 'build');

/** Functions of one module by name; each takes and returns numbers. */
export type Kernels = (name: string) => Numeric;

function signatures(module: string): Map<string, Signature> {
  const all: Record<string, Record<string, Signature>> = JSON.parse(readFileSync(join(build, 'kernels.json'), 'utf8'));
  return new Map(Object.entries(all[module] ?? {}));
}

function instantiate(module: string, memory: WebAssembly.Memory): WebAssembly.Exports {
  const compiled = new WebAssembly.Module(readFileSync(join(build, `${module}.wasm`)));
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports;
}

function lookup(exports: WebAssembly.Exports): Kernels {
  return (name) => {
    const found = exports[name];
    if (typeof found !== 'function') throw new Error(`no kernel ${name}`);
    return (...values) => Number(found(...values));
  };
}

/**
 * A module whose function NAME(a, b, …) calls the lane function NAME on memory: arguments are addresses of pairs, the last the result's. If
 * the function takes an address for a second result, it follows the first one.
 */
function laneWrappers(lanes: Map<string, Signature>): WebAssembly.Module {
  const module = new binaryen.Module();
  module.setFeatures(binaryen.Features.SIMD128);
  module.addMemoryImport('0', 'env', 'memory');
  for (const [name, { params }] of lanes) {
    const from = binaryen.createType(params.map((type) => (type === 'v128' ? binaryen.v128 : binaryen.i32)));
    const values = params.filter((type) => type === 'v128').length;
    const addresses = binaryen.createType(Array.from({ length: values + 1 }, () => binaryen.i32));
    const out = (): number => module.local.get(values, binaryen.i32);
    module.addFunctionImport(name, 'math', name, from, binaryen.v128);
    const operands = params.map((type, i) =>
      type === 'v128'
        ? module.v128.load(0, 8, module.local.get(i, binaryen.i32))
        : module.i32.add(out(), module.i32.const(16)),
    );
    const body = module.v128.store(0, 8, out(), module.call(name, operands, binaryen.v128));
    module.addFunction(`call ${name}`, addresses, binaryen.none, [], body);
    module.addFunctionExport(`call ${name}`, name);
  }
  const bytes = module.emitBinary();
  module.dispose();
  return new WebAssembly.Module(bytes);
}

export interface Loaded {
  /** Scalar functions of math.wasm. */
  math: Kernels;
  /** Lane functions of math.wasm on two argument tuples; the two results. */
  lanes: (name: string, first: number[], second: number[]) => [number, number];
  /** Lane functions of math.wasm with two results; the results of each. */
  lanePairs: (name: string, first: number[], second: number[]) => [[number, number], [number, number]];
  laneNames: string[];
  linear: Kernels;
  linearNames: string[];
  memory: WebAssembly.Memory;
}

/** Both modules over one memory of the given number of 64 KiB pages. */
export function loadKernels(pages = 16): Loaded {
  const memory = new WebAssembly.Memory({ initial: pages, maximum: 65536 });
  const mathExports = instantiate('math', memory);
  const laneSignatures = new Map([...signatures('math')].filter(([name]) => name.endsWith('_v')));
  const wrappers = lookup(
    new WebAssembly.Instance(laneWrappers(laneSignatures), { env: { memory }, math: mathExports }).exports,
  );
  const first = 65536;
  const call = (name: string, a: number[], b: number[]): Float64Array => {
    const view = new Float64Array(memory.buffer, first, 2 * (a.length + 2));
    a.forEach((value, i) => {
      view[2 * i] = value;
      view[2 * i + 1] = b[i] ?? Number.NaN;
    });
    wrappers(name)(...[...a, 0].map((_, i) => first + 16 * i));
    return view.slice(2 * a.length);
  };
  return {
    math: lookup(mathExports),
    linear: lookup(instantiate('linear', memory)),
    linearNames: [...signatures('linear').keys()],
    laneNames: [...laneSignatures.keys()],
    memory,
    lanes: (name, a, b) => {
      const [one, other] = call(name, a, b);
      return [one ?? Number.NaN, other ?? Number.NaN];
    },
    lanePairs: (name, a, b) => {
      const [one, other, second, otherSecond] = [...call(name, a, b)];
      return [
        [one ?? Number.NaN, other ?? Number.NaN],
        [second ?? Number.NaN, otherSecond ?? Number.NaN],
      ];
    },
  };
}

const bits = new BigInt64Array(1);
const float = new Float64Array(bits.buffer);

function ordinal(x: number): bigint {
  float[0] = x;
  const value = bits[0] ?? 0n;
  return value < 0n ? -(value & 0x7fffffffffffffffn) : value;
}

/** Distance of two numbers in units in the last place; 0 if both are NaN. */
export function ulps(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) && Number.isNaN(b) ? 0 : Number.POSITIVE_INFINITY;
  const distance = ordinal(a) - ordinal(b);
  return Number(distance < 0n ? -distance : distance);
}
