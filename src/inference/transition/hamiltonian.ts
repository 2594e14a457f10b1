import type { EventSink } from '../events.js';
import type { Rng } from '../random/rng.js';
import type { Failure, LogDensity } from '../target.js';
import type { Metric } from './metric.js';
import type { PhasePoint, PhaseSpace } from './phase-space.js';

/**
 * A log density as potential energy, a metric as kinetic energy, and the leapfrog integrator of their sum.
 *
 * A rejected point has infinite energy, and the sink is told why. An error of the program is kept in `error`, for
 * the caller to look at after each step; the energy is infinite then, too.
 */
export class Hamiltonian {
  readonly density: LogDensity;
  readonly metric: Metric;
  readonly space: PhaseSpace;
  error: Failure | undefined;
  private readonly sink: EventSink;

  constructor(density: LogDensity, space: PhaseSpace, metric: Metric, sink: EventSink) {
    this.density = density;
    this.metric = metric;
    this.space = space;
    this.sink = sink;
  }

  /** Sets gradient and potential from the position. */
  evaluate(point: PhasePoint): void {
    const logDensity = this.density.logDensityGradient(point.position, point.gradient);
    point.potential = -logDensity;
    const printed = this.density.takePrinted();
    if (printed !== '') this.sink.log('info', printed);
    if (Number.isNaN(logDensity)) this.explain(point);
  }

  /** Draws a new momentum and sets the energy. */
  refreshMomentum(point: PhasePoint, rng: Rng): void {
    point.energy = this.metric.refreshMomentum(point, rng) + point.potential;
  }

  /** One leapfrog step from one point to another, which gets all of its values; energy is infinite rather than NaN. */
  leapfrog(from: PhasePoint, to: PhasePoint, stepSize: number): void {
    this.metric.kickAndDrift(from, to, stepSize);
    this.evaluate(to);
    const energy = this.metric.kick(to, stepSize) + to.potential;
    to.energy = Number.isNaN(energy) ? Number.POSITIVE_INFINITY : energy;
  }

  private explain(point: PhasePoint): void {
    const failure = this.density.failure;
    if (failure === undefined) return;
    point.potential = Number.POSITIVE_INFINITY;
    if (failure.kind === 'error') {
      this.error = failure;
      return;
    }
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
