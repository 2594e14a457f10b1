import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KernelBytes } from '../library/protocol.js';
import { type KernelLibrary, readKernels } from '../wasm/kernels.js';
import { packageRoot } from './package-root.js';
import { setV8Flags } from './v8-flags.js';

/** Names of the kernel modules that `npm run build:kernels` writes to `build/`. */
export interface LoadedKernels {
  /** The kernels that the compiler links. */
  readonly library: KernelLibrary;
  /** The module that a model instantiates together with its own. */
  readonly linear: Uint8Array<ArrayBuffer>;
}

/** Reads both kernel modules of models from the package's build folder, and prepares V8 for compiling programs. */
export function loadKernels(): LoadedKernels {
  setV8Flags();
  const { math, linear } = loadKernelBytes();
  return { library: readKernels(math, linear), linear };
}

/** The bytes of both modules. */
export function loadKernelBytes(): KernelBytes {
  return { math: readBuilt('math.wasm'), linear: loadLinearKernel() };
}

/** The module of linear algebra that a model instantiates together with its own. */
export function loadLinearKernel(): Uint8Array<ArrayBuffer> {
  return readBuilt('linear.wasm');
}

/** The kernel module that formats numbers as text. */
export function loadTextKernel(): WebAssembly.Module {
  return new WebAssembly.Module(readBuilt('text.wasm'));
}

function readBuilt(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(join(packageRoot(dirname(fileURLToPath(import.meta.url))), 'build', name)));
}
