import type { EventSink } from '../events.js';
import type { Rng } from '../random/rng.js';
import type { Failure, LogDensity } from '../target.js';
import type { Metric } from './metric.js';
import type { PhasePoint } from './phase-point.js';
import type { PhaseSpace } from './phase-space.js';

/**
 * A Hamiltonian: a log density as potential energy and a metric as kinetic energy, with the leapfrog integrator.
 *
 * A rejected point has infinite energy, and the sink receives the reason. An error of the program also results in infinite energy and is
 * stored in `error`, which the caller must check after each step.
 */
export class Hamiltonian {
  readonly density: LogDensity;
  readonly metric: Metric;
  readonly space: PhaseSpace;
  error: Failure | undefined;
  private readonly sink: EventSink;
  private readonly position: Float64Array;
  private readonly gradient: Float64Array;

  constructor(density: LogDensity, space: PhaseSpace, metric: Metric, sink: EventSink) {
    this.density = density;
    this.metric = metric;
    this.space = space;
    this.sink = sink;
    this.position = new Float64Array(space.dimension);
    this.gradient = new Float64Array(space.dimension);
    space.evaluate = () => this.answer(space.stage.position, space.stage.gradient);
  }

  /** Sets gradient and potential from the position. */
  evaluate(point: PhasePoint): void {
    point.potential = -this.answerAt(point);
    point.gradient.set(this.gradient);
  }

  /** Draws a new momentum and sets the energy. */
  refreshMomentum(point: PhasePoint, rng: Rng): void {
    this.metric.drawMomentum(point, rng);
    this.space.kernel.setEnergy(point.address);
  }

  /** Makes one leapfrog step with the step size of the space. Sets all values of `to`. Replaces an energy of NaN by infinity. */
  leapfrog(from: PhasePoint, to: PhasePoint): void {
    const { space } = this;
    space.resident?.count(1);
    try {
      space.kernel.leapfrog(from.address, to.address);
    } catch (error) {
      this.rescue(error, to);
    }
  }

  /** Completes a leapfrog step in which the density has thrown. */
  rescue(error: unknown, point: PhasePoint): void {
    const { kernel, resident } = this.space;
    if (resident === undefined) throw error;
    resident.count(-1);
    kernel.settle(point.address, this.answerAt(point));
  }

  private answerAt(point: PhasePoint): number {
    this.position.set(point.position);
    const logDensity = this.answer(this.position, this.gradient);
    this.space.bind();
    return logDensity;
  }

  /** The log density; -∞ if the density rejects the position or has an error. */
  private answer(position: Float64Array, gradient: Float64Array): number {
    const logDensity = this.density.logDensityGradient(position, gradient);
    const printed = this.density.takePrinted();
    if (printed !== '') this.sink.log('info', printed);
    return Number.isNaN(logDensity) ? this.explain() : logDensity;
  }

  private explain(): number {
    const failure = this.density.failure;
    if (failure === undefined) return Number.NaN;
    if (failure.kind === 'error') this.error = failure;
    else this.report(failure);
    return Number.NEGATIVE_INFINITY;
  }

  private report(failure: Failure): void {
    const { sink } = this;
    sink.log(
      'error',
      'Informational Message: The current Metropolis proposal is about to be rejected because of the following issue:',
    );
    sink.log('error', failure.message);
    sink.log(
      'error',
      'If this warning occurs sporadically, such as for highly constrained variable types like covariance matrices, then the sampler is fine,',
    );
    sink.log(
      'error',
      'but if this warning occurs often then your model may be either severely ill-conditioned or misspecified.',
    );
    sink.log('error', '');
  }
}
