import { exponential } from '../../base/elementary.js';
import type { Rng } from '../random/rng.js';
import type { Hamiltonian } from './hamiltonian.js';
import type { PhasePoint } from './phase-point.js';

/**
 * Hamiltonian Monte Carlo with trajectories of a fixed length, whose end point is accepted or rejected as a whole (Neal, "MCMC using
 * Hamiltonian dynamics", 2011, section 5.3.2), as in Stan. A trajectory that leaves the support is rejected immediately, whereas Stan
 * continues with the gradient of the last point inside.
 */
export class StaticHmcSampler {
  readonly report = { acceptStatistic: 0 };
  private readonly hamiltonian: Hamiltonian;
  private readonly rng: Rng;
  private readonly integrationTime: number;
  private readonly interrupt: () => boolean;
  private readonly interruptEvery: number;
  private stepsToInterrupt = 1;
  private steps = 1;
  private current: PhasePoint;

  /**
   * `interrupt` is called once per `interruptEvery` leapfrog steps; true ends the transition. The sampler takes over the caller's reference to
   * `start`.
   */
  constructor(options: {
    hamiltonian: Hamiltonian;
    rng: Rng;
    start: PhasePoint;
    integrationTime: number;
    stepSize: number;
    interrupt: () => boolean;
    interruptEvery: number;
  }) {
    this.hamiltonian = options.hamiltonian;
    this.rng = options.rng;
    this.integrationTime = options.integrationTime;
    this.interrupt = options.interrupt;
    this.interruptEvery = options.interruptEvery;
    this.current = options.start;
    this.setSteps(options.stepSize);
  }

  get point(): PhasePoint {
    return this.current;
  }

  /** Sets the number of steps of a trajectory from the integration time and this step size; at least 1. */
  setSteps(stepSize: number): void {
    this.steps = Math.max(1, Math.trunc(this.integrationTime / stepSize));
  }

  /**
   * Makes one transition of the chain. Returns false if it was interrupted or the program has an error (stored in the Hamiltonian); only the momentum
   * of the chain's point has then changed.
   */
  transition(stepSize: number): boolean {
    const { hamiltonian, report, rng } = this;
    const { space } = hamiltonian;
    const start = this.current;
    hamiltonian.refreshMomentum(start, rng);
    space.setStep(stepSize);
    let end = start;
    for (let step = 0; step < this.steps && end.isInside; step++) {
      const next = space.acquire(1);
      hamiltonian.leapfrog(end, next);
      if (end !== start) space.release(end);
      end = next;
      if (hamiltonian.error !== undefined || this.isInterrupted()) {
        space.release(end);
        return false;
      }
    }
    const acceptance = exponential(start.energy - end.energy);
    const isAccepted = !(acceptance < 1 && rng.uniform() > acceptance);
    report.acceptStatistic = Math.min(1, acceptance);
    space.release(isAccepted ? start : end);
    if (isAccepted) this.current = end;
    return true;
  }

  private isInterrupted(): boolean {
    this.stepsToInterrupt -= 1;
    if (this.stepsToInterrupt > 0) return false;
    this.stepsToInterrupt = this.interruptEvery;
    return this.interrupt();
  }
}
