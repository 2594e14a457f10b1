import {
  CONTROL_ACCEPT_SUM,
  CONTROL_DEPTH,
  CONTROL_PATIENCE,
  CONTROL_POINT,
  CONTROL_SIZE,
  CONTROL_STEPS,
  CONTROL_TOP,
  DEEPEST,
  DIVERGING,
  GROWN,
  PAUSED,
} from '../../kernels/phase-memory.js';
import type { Rng } from '../random/rng.js';
import type { Hamiltonian } from './hamiltonian.js';
import type { PhasePoint } from './phase-point.js';
import type { PhaseSpace } from './phase-space.js';

/** Statistics of a transition. */
export interface NutsReport {
  /** Mean Metropolis acceptance probability over all points of the trajectory, including rejected subtrees. */
  acceptStatistic: number;
  treeDepth: number;
  leapfrogSteps: number;
  divergent: boolean;
}

/**
 * The No-U-Turn sampler with multinomial sampling (Hoffman and Gelman, JMLR 15, 2014; Betancourt, arXiv 1701.02434), as in Stan: the
 * trajectory doubles until it or one of its subtrees makes a U-turn. Within a subtree, the proposal is sampled in proportion to weights;
 * between the old trajectory and its extension, sampling is biased towards the extension. The kernel of the phase space grows trajectories.
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
   * `interrupt` is called once per `interruptEvery` leapfrog steps; true ends the transition. The sampler takes over the caller's reference to
   * `start`. `DEEPEST` limits the depth of trajectories.
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

  /** The current state of the chain: the latest draw, with the momentum with which it was proposed. */
  get point(): PhasePoint {
    return this.current;
  }

  /**
   * Makes one transition of the chain. Returns false if it was interrupted or the program has an error (stored in the Hamiltonian); only the momentum
   * of the chain's point has then changed.
   */
  transition(stepSize: number): boolean {
    const { hamiltonian, report, rng, space } = this;
    const { kernel } = space;
    const start = this.current;
    hamiltonian.refreshMomentum(start, rng);
    space.takeRandom(rng);
    space.doubles[CONTROL_SIZE / 8] = stepSize;
    kernel.begin(start.address);
    const growth = this.grow();
    space.returnRandom(rng);

    const { doubles, integers } = space;
    report.treeDepth = integers[CONTROL_DEPTH / 4];
    report.leapfrogSteps = integers[CONTROL_STEPS / 4];
    report.acceptStatistic = doubles[CONTROL_ACCEPT_SUM / 8] / report.leapfrogSteps;
    report.divergent = growth === DIVERGING;
    space.resident?.count(report.leapfrogSteps);
    if (growth === PAUSED || hamiltonian.error !== undefined) {
      kernel.abandonTrajectory();
      return false;
    }
    this.current = space.pointAt(kernel.finish(start.address));
    return true;
  }

  /** Grows the trajectory until it ends. The result is `paused` only if the sampler was interrupted. */
  private grow(): number {
    const { maxDepth, space } = this;
    let growth: number = GROWN;
    while (growth === GROWN && space.integers[CONTROL_DEPTH / 4] < maxDepth) {
      space.allowDepth(maxDepth);
      growth = this.advance(true);
      while (growth === PAUSED) {
        if (this.interrupt()) {
          space.kernel.abandonExtension(space.integers[CONTROL_TOP / 4]);
          return growth;
        }
        space.integers[CONTROL_PATIENCE / 4] = this.interruptEvery;
        growth = this.advance(false);
      }
    }
    return growth;
  }

  /** Starts or continues an extension in the kernel. If the density throws, completes the step and continues. */
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
      hamiltonian.rescue(failure, space.pointAt(space.integers[CONTROL_POINT / 4]));
      try {
        return kernel.proceed(1);
      } catch (error) {
        failure = error;
      }
    }
  }
}
