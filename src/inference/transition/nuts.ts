import type { Rng } from '../random/rng.js';
import type { Hamiltonian } from './hamiltonian.js';
import type { PhasePoint, PhaseSpace } from './phase-space.js';
import { alignScales, join, newSubtree, type Subtree, setPoint } from './subtree.js';

/** How growing a trajectory went: on, or to an end. */
type Growth = 'grown' | 'turning' | 'diverging' | 'interrupted' | 'error';

/** What a transition tells about itself. */
export interface NutsReport {
  /** Mean Metropolis acceptance probability over all points of the trajectory, rejected subtrees included. */
  acceptStatistic: number;
  treeDepth: number;
  leapfrogSteps: number;
  divergent: boolean;
}

/** An energy error beyond this one is a divergence. */
const MAX_ENERGY_ERROR = 1000;

/**
 * The No-U-Turn sampler with multinomial sampling (Hoffman and Gelman, JMLR 15, 2014; Betancourt, arXiv 1701.02434), as in
 * Stan: trajectories double until they turn, subtrees included; within a subtree the proposal is drawn by weight,
 * between the old trajectory and its extension in favour of the extension.
 *
 * A subtree is grown point by point on a stack: after point n, from 0, as many of the topmost subtrees are joined as n
 * has trailing binary ones. That is the recursion of the papers in post-order, and uses random numbers in its order.
 */
export class NutsSampler {
  readonly report: NutsReport = { acceptStatistic: 0, treeDepth: 0, leapfrogSteps: 0, divergent: false };
  private readonly hamiltonian: Hamiltonian;
  private readonly rng: Rng;
  private readonly space: PhaseSpace;
  private readonly maxDepth: number;
  private readonly interrupt: () => boolean;
  private readonly interruptEvery: number;
  private stepsToInterrupt = 1;
  /** The trajectory so far, and on top of it the subtrees of its extension. */
  private readonly stack: Subtree[];
  private current: PhasePoint;
  private acceptSum = 0;

  /** `interrupt` is asked once per `interruptEvery` leapfrog steps; true ends the transition. `start`, held once, becomes the sampler's own. */
  constructor(options: {
    hamiltonian: Hamiltonian;
    rng: Rng;
    start: PhasePoint;
    maxDepth: number;
    interrupt: () => boolean;
    interruptEvery: number;
  }) {
    this.hamiltonian = options.hamiltonian;
    this.rng = options.rng;
    this.space = options.hamiltonian.space;
    this.maxDepth = options.maxDepth;
    this.interrupt = options.interrupt;
    this.interruptEvery = options.interruptEvery;
    this.current = options.start;
    this.stack = [newSubtree(options.start)];
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
    const start = this.current;
    this.hamiltonian.refreshMomentum(start, this.rng);
    start.holders += 3;
    const trajectory = this.stack[0];
    setPoint(trajectory, this.space, start, 0, 1);

    const report = this.report;
    report.treeDepth = 0;
    report.leapfrogSteps = 0;
    report.divergent = false;
    this.acceptSum = 0;

    let forward = true;
    let growth: Growth = 'grown';
    while (growth === 'grown' && report.treeDepth < this.maxDepth) {
      const goForward = this.rng.uniform() > 0.5;
      if (goForward !== forward) turnAround(trajectory);
      forward = goForward;
      growth = this.extend(report.treeDepth, forward ? stepSize : -stepSize, start.energy);
      if (growth !== 'grown') break;
      report.treeDepth += 1;
      this.choose(trajectory, this.stack[1]);
      if (!join(trajectory, this.stack[1], this.space)) growth = 'turning';
    }

    report.acceptStatistic = this.acceptSum / report.leapfrogSteps;
    report.divergent = growth === 'diverging';
    if (growth === 'interrupted' || growth === 'error') {
      this.release(trajectory);
      return false;
    }
    this.current = trajectory.proposal;
    this.space.release(trajectory.begin);
    this.space.release(trajectory.end);
    this.space.release(start);
    return true;
  }

  /** Grows a subtree of 2^depth points from the trajectory's end into `stack[1]`; on failure nothing is left there. */
  private extend(depth: number, stepSize: number, initialEnergy: number): Growth {
    const { hamiltonian, space, rng, report, stack } = this;
    const points = 2 ** depth;
    let top = 0;
    for (let index = 0; index < points; index++) {
      const point = space.acquire(3);
      hamiltonian.leapfrog(stack[top].end, point, stepSize);
      report.leapfrogSteps += 1;
      const logWeight = initialEnergy - point.energy;
      const weight = Math.exp(logWeight);
      this.acceptSum += logWeight > 0 ? 1 : weight;
      top += 1;
      if (top === stack.length) stack.push(newSubtree(point));
      setPoint(stack[top], space, point, logWeight, weight);

      if (-logWeight > MAX_ENERGY_ERROR) {
        return this.abandon(top, hamiltonian.error === undefined ? 'diverging' : 'error');
      }
      this.stepsToInterrupt -= 1;
      if (this.stepsToInterrupt === 0) {
        this.stepsToInterrupt = this.interruptEvery;
        if (this.interrupt()) return this.abandon(top, 'interrupted');
      }

      for (let rest = index; (rest & 1) === 1; rest >>>= 1) {
        const first = stack[top - 1];
        const second = stack[top];
        alignScales(first, second);
        first.weight += second.weight;
        if (rng.uniform() < second.weight / first.weight) {
          space.release(first.proposal);
          first.proposal = second.proposal;
        } else {
          space.release(second.proposal);
        }
        top -= 1;
        if (!join(first, second, space)) return this.abandon(top, 'turning');
      }
    }
    return 'grown';
  }

  /** Draws the trajectory's proposal between its own and its extension's, and sums the weights. */
  private choose(trajectory: Subtree, extension: Subtree): void {
    alignScales(trajectory, extension);
    if (extension.weight > trajectory.weight || this.rng.uniform() < extension.weight / trajectory.weight) {
      this.space.release(trajectory.proposal);
      trajectory.proposal = extension.proposal;
    } else {
      this.space.release(extension.proposal);
    }
    trajectory.weight += extension.weight;
  }

  private abandon(top: number, growth: Growth): Growth {
    for (let level = top; level > 0; level--) this.release(this.stack[level]);
    return growth;
  }

  private release(subtree: Subtree): void {
    this.space.release(subtree.begin);
    this.space.release(subtree.end);
    this.space.release(subtree.proposal);
  }
}

function turnAround(trajectory: Subtree): void {
  const end = trajectory.end;
  trajectory.end = trajectory.begin;
  trajectory.begin = end;
}
