import { isShared, withSharedMemory } from '../../kernels/shared-memory.js';
import { TRAJECTORIES } from '../../kernels/trajectories.generated.js';

/** Imports of an instance of the kernel. They are documented in `src/kernels/trajectories.ts`. */
export interface KernelHost {
  readonly memory: WebAssembly.Memory;
  readonly control: number;
  readonly metric: number;
  readonly metricForm: number;
  readonly factors: number;
  readonly dimension: number;
  readonly vectorSize: number;
  readonly flags: number;
  readonly density: (flags: number) => number;
  readonly uniform: () => number;
}

/** Functions of the kernel that the host calls. Points are passed as addresses. */
export interface PhaseKernel {
  readonly acquire: (holders: number) => number;
  readonly release: (point: number) => void;
  /** Sets a point's velocity and energy from its momentum. */
  readonly setEnergy: (point: number) => void;
  /** One leapfrog step with the step size in the control block. If the density throws, the host must call `settle`. */
  readonly leapfrog: (from: number, to: number) => void;
  /** Completes a leapfrog step with a log density that the host has computed, after the gradient has been written to its usual address. */
  readonly settle: (point: number, logDensity: number) => void;
  /** Starts a trajectory with one point. The energy of the point must be set, and the trajectory takes over three references to it. */
  readonly begin: (point: number) => void;
  /**
   * Doubles the trajectory up to the depth limit and returns the result. If the density throws, the host must call `settle` and `proceed`.
   */
  readonly extend: () => number;
  /** Continues after a pause or, if `isEvaluated`, after `settle`. */
  readonly proceed: (isEvaluated: number) => number;
  /** Releases the subtrees of the extension, starting from the top of the stack at this address. */
  readonly abandonExtension: (subtree: number) => void;
  readonly abandonTrajectory: () => void;
  /** Releases the trajectory's ends and start; returns the proposal, with one reference. */
  readonly finish: (start: number) => number;
}

/**
 * Leapfrog steps run in WebAssembly, because JavaScript would box numbers that are passed between functions, check the bounds of every
 * element, and cross into WebAssembly for each call of a compiled density.
 */
let kernel: WebAssembly.Module | undefined;
/** The kernel for shared memories. */
let sharedKernel: WebAssembly.Module | undefined;

export function instantiateKernel(host: KernelHost): PhaseKernel {
  const exports = kernelExports(host);
  const find = (name: keyof PhaseKernel) => {
    const found = exports[name];
    if (typeof found !== 'function') throw new Error(`the kernel has no function ${name}`);
    return found;
  };
  return {
    acquire: find('acquire'),
    release: find('release'),
    setEnergy: find('setEnergy'),
    leapfrog: find('leapfrog'),
    settle: find('settle'),
    begin: find('begin'),
    extend: find('extend'),
    proceed: find('proceed'),
    abandonExtension: find('abandonExtension'),
    abandonTrajectory: find('abandonTrajectory'),
    finish: find('finish'),
  };
}

/** All functions of a new instance, including those that only tests call. */
export function kernelExports({ memory, ...host }: KernelHost): WebAssembly.Exports {
  return new WebAssembly.Instance(kernelFor(memory), { env: { memory }, host }).exports;
}

function kernelFor(memory: WebAssembly.Memory): WebAssembly.Module {
  if (isShared(memory)) {
    sharedKernel ??= new WebAssembly.Module(withSharedMemory(kernelBytes()));
    return sharedKernel;
  }
  kernel ??= new WebAssembly.Module(kernelBytes());
  return kernel;
}

function kernelBytes(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(TRAJECTORIES), (byte) => byte.charCodeAt(0));
}
