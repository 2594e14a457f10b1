import type { Failure, LogDensity } from '../target.js';
import type { NormalMixture } from './mixture.js';

/** The log density (1 - β) log reference + β log posterior, for an inverse temperature β that can be set. */
export class TemperedDensity implements LogDensity {
  readonly dimension: number;
  beta = 1;
  reference: NormalMixture;
  private readonly target: LogDensity;
  private readonly referenceGradient: Float64Array;

  constructor(target: LogDensity, reference: NormalMixture) {
    this.dimension = target.dimension;
    this.target = target;
    this.reference = reference;
    this.referenceGradient = new Float64Array(target.dimension);
  }

  get failure(): Failure | undefined {
    return this.target.failure;
  }

  takePrinted(): string {
    return this.target.takePrinted();
  }

  logDensity(position: Float64Array): number {
    return this.combined(this.target.logDensity(position), this.reference.logDensity(position));
  }

  logDensityGradient(position: Float64Array, gradient: Float64Array): number {
    const logTarget = this.target.logDensityGradient(position, gradient);
    if (this.beta === 1 || Number.isNaN(logTarget)) return logTarget;
    const logReference = this.reference.logDensityGradient(position, this.referenceGradient);
    this.combineGradient(gradient, this.referenceGradient, gradient);
    return this.combined(logTarget, logReference);
  }

  /** The log density, from those of the posterior and of the reference. */
  combined(logTarget: number, logReference: number): number {
    const { beta } = this;
    return beta === 1 ? logTarget : beta * logTarget + (1 - beta) * logReference;
  }

  /** Writes the gradient, from those of the posterior and of the reference; `gradient` may be one of them. */
  combineGradient(ofTarget: Float64Array, ofReference: Float64Array, gradient: Float64Array): void {
    const { beta } = this;
    for (let i = 0; i < gradient.length; i++) gradient[i] = beta * ofTarget[i] + (1 - beta) * ofReference[i];
  }
}
