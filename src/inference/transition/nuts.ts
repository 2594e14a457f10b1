import type { Rng } from '../random/rng.js';
import type { Hamiltonian } from './hamiltonian.js';
import { CONTROL, DEEPEST, GROWTH } from './phase-memory.js';
import type { PhasePoint } from './phase-point.js';
import type { PhaseSpace } from './phase-space.js';

/** Statistics of a transition. */
export interface NutsReport {
  /** Mean Metropolis acceptance probability over all points of the trajectory, rejected subtrees included. */
  acceptStatistic: number;
  treeDepth: number;
  leapfrogSteps: number;
  divergent: boolean;
}

/**
 * The No-U-Turn sampler with multinomial sampling (Hoffman and Gelman, JMLR 15, 2014; Betancourt, arXiv 1701.02434), as in
 * Stan: trajectories double until they turn, subtrees included; within a subtree the proposal is drawn by weight,
 * between the old trajectory and its extension in favour of the extension. Trajectories grow in the kernel of phase space.
 */
export class NutsSampler {
  readonly report: NutsReport = { acceptStatistic: 0, treeDepth: 0, leapfrogSteps: 0, divergent: false };
  private readonly hamiltonian: Hamiltonian;
  private readonly rng: Rng;
  private readonly space: PhaseSpace;
  private readonly maxDepth: number;
  private readonly interrupt: () => boolean;
  private readonly interruptEvery: number;
  private current: PhasePoint;

  /**
   * `interrupt` is asked once per `interruptEvery` leapfrog steps; true ends the transition. `start`, held once, becomes the
   * sampler's own. Trajectories are never deeper than `DEEPEST`.
   */
  constructor(options: {
    hamiltonian: Hamiltonian;
    rng: Rng;
    start: PhasePoint;
    maxDepth: number;
    interrupt: () => boolean;
    interruptEvery: number;
  }) {
    const { rng } = options;
    this.hamiltonian = options.hamiltonian;
    this.rng = rng;
    this.space = options.hamiltonian.space;
    this.space.uniform = () => rng.uniform();
    this.maxDepth = Math.min(options.maxDepth, DEEPEST);
    this.interrupt = options.interrupt;
    this.interruptEvery = options.interruptEvery;
    this.current = options.start;
  }

  /** Where the chain is: the latest draw, with the momentum it was proposed with. */
  get point(): PhasePoint {
    return this.current;
  }

  /**
   * Makes one transition of the chain. False when it was interrupted or the program has an error (then in the
   * Hamiltonian): the chain is unchanged but for its momentum.
   */
  transition(stepSize: number): boolean {
    const { hamiltonian, report, rng, space } = this;
    const { kernel } = space;
    const start = this.current;
    hamiltonian.refreshMomentum(start, rng);
    space.takeRandom(rng);
    space.doubles[CONTROL.size / 8] = stepSize;
    kernel.begin(start.address);
    const growth = this.grow();
    space.returnRandom(rng);

    const { doubles, integers } = space;
    report.treeDepth = integers[CONTROL.depth / 4];
    report.leapfrogSteps = integers[CONTROL.steps / 4];
    report.acceptStatistic = doubles[CONTROL.acceptSum / 8] / report.leapfrogSteps;
    report.divergent = growth === GROWTH.diverging;
    space.resident?.count(report.leapfrogSteps);
    if (growth === GROWTH.paused || hamiltonian.error !== undefined) {
      kernel.abandonTrajectory();
      return false;
    }
    this.current = space.pointAt(kernel.finish(start.address));
    return true;
  }

  /** Grows the trajectory to its end. It ends paused only if the sampler was interrupted. */
  private grow(): number {
    const { maxDepth, space } = this;
    let growth: number = GROWTH.grown;
    while (growth === GROWTH.grown && space.integers[CONTROL.depth / 4] < maxDepth) {
      space.allowDepth(maxDepth);
      growth = this.advance(true);
      while (growth === GROWTH.paused) {
        if (this.interrupt()) {
          space.kernel.abandonExtension(space.integers[CONTROL.top / 4]);
          return growth;
        }
        space.integers[CONTROL.patience / 4] = this.interruptEvery;
        growth = this.advance(false);
      }
    }
    return growth;
  }

  /** Has the kernel begin an extension or go on with one; steps in where the density throws. */
  private advance(begins: boolean): number {
    const { hamiltonian, space } = this;
    const { kernel } = space;
    let failure: unknown;
    try {
      return begins ? kernel.extend() : kernel.proceed(0);
    } catch (error) {
      failure = error;
    }
    for (;;) {
      hamiltonian.rescue(failure, space.pointAt(space.integers[CONTROL.point / 4]));
      try {
        return kernel.proceed(1);
      } catch (error) {
        failure = error;
      }
    }
  }
}
