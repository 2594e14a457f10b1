import type { Rng } from '../../random/rng.js';
import type { Hamiltonian } from '../../transition/hamiltonian.js';
import { NutsSampler } from '../../transition/nuts.js';
import type { PhasePoint } from '../../transition/phase-point.js';
import { StaticHmcSampler } from '../../transition/static-hmc.js';
import type { Argument, Settings } from '../arguments.js';
import { nutsArguments, staticArguments } from './arguments.js';

/** Moves a chain. */
export interface Mover {
  readonly point: PhasePoint;
  /** Statistics of the latest transition. `divergent` is absent if the sampler does not detect divergences. */
  readonly report: { readonly acceptStatistic: number; readonly divergent?: boolean };
  /** Makes one transition. Returns false if it was interrupted or the program has an error. */
  transition(stepSize: number): boolean;
  /** Called when the nominal step size has been adapted. */
  adapted(stepSize: number): void;
  /** Writes the columns between `stepsize__` and `energy__` of a draw. */
  writeReport(columns: Float64Array): void;
}

interface MoverOptions {
  readonly hamiltonian: Hamiltonian;
  readonly rng: Rng;
  /** Owned by the mover: no other code may use it. */
  readonly start: PhasePoint;
  readonly interrupt: () => boolean;
  readonly interruptEvery: number;
  readonly settings: Settings;
}

/** The rule that ends trajectories. A trajectory and a metric together define a Hamiltonian Monte Carlo algorithm. */
export interface Trajectory {
  /** The part of the function's name. */
  readonly name: 'nuts' | 'static';
  readonly description: string;
  readonly arguments: readonly Argument[];
  /** Columns between `stepsize__` and `energy__`. */
  readonly columns: readonly string[];
  createMover(options: MoverOptions): Mover;
}

export const nuts: Trajectory = {
  name: 'nuts',
  description: 'No-U-Turn sampler',
  arguments: nutsArguments,
  columns: ['treedepth__', 'n_leapfrog__', 'divergent__'],
  createMover: ({ settings, ...options }) => {
    const sampler = new NutsSampler({ ...options, maxDepth: settings.number('max_depth') });
    return {
      get point() {
        return sampler.point;
      },
      report: sampler.report,
      transition: (stepSize) => sampler.transition(stepSize),
      adapted: () => {},
      writeReport: (columns) => {
        columns[0] = sampler.report.treeDepth;
        columns[1] = sampler.report.leapfrogSteps;
        columns[2] = sampler.report.divergent ? 1 : 0;
      },
    };
  },
};

const fixedLength: Trajectory = {
  name: 'static',
  description: 'Hamiltonian Monte Carlo with trajectories of fixed length',
  arguments: staticArguments,
  columns: ['int_time__'],
  createMover: ({ settings, ...options }) => {
    const integrationTime = settings.number('int_time');
    const sampler = new StaticHmcSampler({ ...options, integrationTime, stepSize: settings.number('stepsize') });
    return {
      get point() {
        return sampler.point;
      },
      report: sampler.report,
      transition: (stepSize) => sampler.transition(stepSize),
      adapted: (stepSize) => sampler.setSteps(stepSize),
      writeReport: (columns) => {
        columns[0] = integrationTime;
      },
    };
  },
};

export const trajectories: readonly Trajectory[] = [nuts, fixedLength];
