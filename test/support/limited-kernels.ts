import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import binaryen from 'binaryen';
import { packageRoot } from '../../src/node/package-root.js';
import type { Kernels } from './evaluate.js';
import { instantiateKernels } from './evaluated-call.js';

/** Thrown by a call whose loops exceed the limit of iterations. */
export class TooManySteps extends Error {}

/**
 * Both kernel modules with counted loops: a call of a kernel stops with `TooManySteps` after `limit` iterations of all its loops together, and
 * the interpreter after `limit` iterations since the last `restart`.
 */
export function limitedKernels(limit: number): { readonly kernels: Kernels; restart(): void } {
  const { kernels, exports } = instantiateKernels(counted);
  const counters = exports.map(({ [COUNTER]: counter }) => {
    if (counter instanceof WebAssembly.Global) return counter;
    throw new Error('The kernels do not count');
  });
  let iterations = 0;
  const limited: Kernels = {
    ...kernels,
    iterate: () => {
      iterations += 1;
      if (iterations > limit) throw new TooManySteps(`more than ${limit} iterations`);
    },
    call: (name, args) => {
      for (const counter of counters) counter.value = limit;
      try {
        return kernels.call(name, args);
      } catch (error) {
        if (counters.some(({ value }) => value < 0)) {
          throw new TooManySteps(`${name}(${args.join(', ')}) took more than ${limit} steps`);
        }
        throw error;
      }
    },
  };
  return {
    kernels: limited,
    restart: () => {
      iterations = 0;
    },
  };
}

const COUNTER = 'steps left';

/** The module, each loop of which counts its iterations and traps when none is left. */
function counted(name: 'linear' | 'math'): WebAssembly.Module {
  const module = binaryen.readBinary(
    new Uint8Array(readFileSync(join(packageRoot(import.meta.dirname), 'build', `${name}.wasm`))),
  );
  const text = module
    .emitText()
    .replace(
      /\(loop(?: \$[^\s()]+)?(?: \(type [^()]*\))?(?: \(result \w+\))?/g,
      (loop) =>
        `${loop} (global.set $counter (i32.sub (global.get $counter) (i32.const 1)))` +
        '(if (i32.lt_s (global.get $counter) (i32.const 0)) (then (unreachable)))',
    )
    .replace(
      /^ \(func/m,
      `(global $counter (mut i32) (i32.const 1000000)) (export "${COUNTER}" (global $counter))\n$&`,
    );
  module.dispose();
  const changed = binaryen.parseText(text);
  changed.setFeatures(binaryen.Features.All);
  if (!changed.validate()) throw new Error(`Counting broke ${name}.wasm`);
  const bytes = changed.emitBinary();
  changed.dispose();
  return new WebAssembly.Module(new Uint8Array(bytes));
}
