import { ModuleWriter } from './assembler.js';
import { definePhaseLoops } from './phase-loops.js';
import { definePhaseImports, definePhaseRoutines } from './phase-routines.js';
import { defineTree } from './tree-routines.js';

/** What an instance of the kernel runs on; see `PhaseImports`. */
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

/** The functions of the kernel that the host calls; points are addresses. */
export interface PhaseKernel {
  readonly acquire: (holders: number) => number;
  readonly release: (point: number) => void;
  /** Sets a point's velocity and energy from its momentum. */
  readonly setEnergy: (point: number) => void;
  /** One leapfrog step of the size in the control block. Where the density throws, `settle` has to follow. */
  readonly leapfrog: (from: number, to: number) => void;
  /** Ends a leapfrog step with a log density that the host has computed, its gradient left where the density leaves it. */
  readonly settle: (point: number, logDensity: number) => void;
  /** A trajectory of one point, whose energy is known and which it holds three times. */
  readonly begin: (point: number) => void;
  /** Doubles the trajectory as often as it may; returns a `GROWTH`. Where the density throws, `settle` and `proceed` have to follow. */
  readonly extend: () => number;
  /** Continues after a pause or, where `isEvaluated`, after `settle`. */
  readonly proceed: (isEvaluated: number) => number;
  /** Gives up the extension up to a subtree. */
  readonly abandonExtension: (subtree: number) => void;
  readonly abandonTrajectory: () => void;
  /** Gives up the trajectory's ends and its start; returns the proposal, held once. */
  readonly finish: (start: number) => number;
}

const kernel = compileKernel();

function compileKernel(): WebAssembly.Module {
  const writer = new ModuleWriter();
  const imports = definePhaseImports(writer);
  const loops = definePhaseLoops(writer);
  defineTree(writer, imports, loops, definePhaseRoutines(writer, imports, loops));
  return writer.compile();
}

export function instantiateKernel(host: KernelHost): PhaseKernel {
  const { exports } = new WebAssembly.Instance(kernel, { host: { ...host } });
  const find = (name: string) => {
    const found = exports[name];
    if (typeof found !== 'function') throw new Error(`no routine ${name}`);
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
