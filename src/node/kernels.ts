import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KernelBytes } from '../library/platform.js';
import { type KernelLibrary, readKernels } from '../wasm/kernels.js';
import { packageRoot } from './package-root.js';
import { setV8Flags } from './v8-flags.js';

/** The kernel modules as `npm run build:kernels` leaves them in `build/`. */
export interface LoadedKernels {
  /** What the compiler links. */
  readonly library: KernelLibrary;
  /** The module that a model instantiates beside its own. */
  readonly linear: Uint8Array<ArrayBuffer>;
}

/** Reads both kernel modules of models from the package's own build folder, and prepares V8 for compiling programs. */
export function loadKernels(): LoadedKernels {
  setV8Flags();
  const { math, linear } = loadKernelBytes();
  return { library: readKernels(math, linear), linear };
}

/** Both modules as they are. */
export function loadKernelBytes(): KernelBytes {
  return { math: readBuilt('math.wasm'), linear: loadLinearKernel() };
}

/** The module of linear algebra that a model instantiates beside its own. */
export function loadLinearKernel(): Uint8Array<ArrayBuffer> {
  return readBuilt('linear.wasm');
}

/** The kernel module that writes numbers as text. */
export function loadTextKernel(): WebAssembly.Module {
  return new WebAssembly.Module(readBuilt('text.wasm'));
}

function readBuilt(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(join(packageRoot(dirname(fileURLToPath(import.meta.url))), 'build', name)));
}
