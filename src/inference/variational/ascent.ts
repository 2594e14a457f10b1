import type { Rng } from '../random/rng.js';
import type { Failure, LogDensity } from '../target.js';
import type { Family } from './families.js';

/** Maximum number of consecutive dropped draws per required draw. */
const RETRIES = 10;
/** Weight of the history of squared gradients at each step. */
const KEPT = 0.9;

export interface AscentSettings {
  /** The number of draws per gradient, and per estimate of the ELBO. */
  readonly gradientDraws: number;
  readonly elboDraws: number;
  /** Name of the family, for messages about failed draws. */
  readonly familyName: string;
}

/** The reason why the ELBO cannot be estimated. */
export interface AscentProblem {
  readonly problem: string;
  /** Whether the program has an error, so that other step sizes do not help. */
  readonly isFinal: boolean;
}

/**
 * Stochastic gradient ascent of the evidence lower bound over a family of normals: automatic differentiation variational
 * inference (Kucukelbir, Tran, Ranganath, Gelman and Blei, JMLR 18, 2017), with Stan's step-size sequence.
 */
export class Ascent {
  private readonly family: Family;
  private readonly density: LogDensity;
  private readonly rng: Rng;
  private readonly settings: AscentSettings;
  private readonly log: (text: string) => void;
  private readonly z: Float64Array;
  private readonly draw: Float64Array;
  private readonly densityGradient: Float64Array;
  private readonly gradient: Float64Array;
  private readonly history: Float64Array;
  private iteration = 0;

  /** `log` receives what the program prints. */
  constructor(family: Family, density: LogDensity, rng: Rng, settings: AscentSettings, log: (text: string) => void) {
    this.family = family;
    this.density = density;
    this.rng = rng;
    this.settings = settings;
    this.log = log;
    this.z = new Float64Array(density.dimension);
    this.draw = new Float64Array(density.dimension);
    this.densityGradient = new Float64Array(density.dimension);
    this.gradient = new Float64Array(family.parameters.length);
    this.history = new Float64Array(family.parameters.length);
  }

  /** Resets the history of gradients. */
  restart(): void {
    this.iteration = 0;
    this.history.fill(0);
  }

  /**
   * Updates the parameters of the family. If the gradient cannot be estimated, leaves them unchanged or returns the reason, depending on
   * `whenLost`.
   */
  step(eta: number, whenLost: 'stay' | 'fail'): string | undefined {
    const { gradient, history } = this;
    const { parameters } = this.family;
    const lost = this.estimateGradient();
    if (lost !== undefined) {
      if (whenLost === 'fail') return lost;
      gradient.fill(0);
    }
    this.iteration += 1;
    const kept = this.iteration === 1 ? 1 : KEPT;
    const added = this.iteration === 1 ? 1 : 1 - KEPT;
    const scaled = eta / Math.sqrt(this.iteration);
    for (let i = 0; i < parameters.length; i++) {
      history[i] = kept * history[i] + added * gradient[i] * gradient[i];
      parameters[i] += (scaled * gradient[i]) / (1 + Math.sqrt(history[i]));
    }
    return undefined;
  }

  /** A Monte Carlo estimate of the ELBO. */
  elbo(): number | AscentProblem {
    const { density, settings } = this;
    const wanted = settings.elboDraws;
    let sum = 0;
    let dropped = 0;
    for (let found = 0; found < wanted; ) {
      this.drawOne();
      const value = density.logDensity(this.draw);
      this.logPrinted();
      if (Number.isFinite(value)) {
        sum += value;
        found += 1;
        continue;
      }
      const failure = this.finalFailure(value);
      if (failure !== undefined) return failure;
      dropped += 1;
      if (dropped >= wanted) return { problem: tooMany('advi::calc_ELBO', wanted), isFinal: false };
    }
    return sum / wanted + this.family.entropy();
  }

  /** Estimates the gradient by Monte Carlo. Returns the reason if too many draws had to be dropped. */
  private estimateGradient(): string | undefined {
    const { density, densityGradient, family, gradient, settings, z } = this;
    const wanted = settings.gradientDraws;
    gradient.fill(0);
    let dropped = 0;
    for (let found = 0; found < wanted; ) {
      this.drawOne();
      const value = density.logDensityGradient(this.draw, densityGradient);
      this.logPrinted();
      const failed = Number.isNaN(value) && density.failure !== undefined;
      if (!failed && densityGradient.every(Number.isFinite)) {
        family.addGradient(densityGradient, z, gradient);
        found += 1;
        continue;
      }
      dropped += 1;
      if (dropped >= RETRIES * wanted) return tooMany(`${settings.familyName}::calc_grad`, RETRIES * wanted);
    }
    family.finishGradient(gradient, wanted);
    return undefined;
  }

  private drawOne(): void {
    const { rng, z } = this;
    for (let i = 0; i < z.length; i++) z[i] = rng.normal();
    this.family.transform(z, this.draw);
  }

  private logPrinted(): void {
    const printed = this.density.takePrinted();
    if (printed !== '') this.log(printed);
  }

  private finalFailure(value: number): AscentProblem | undefined {
    const failure: Failure | undefined = Number.isNaN(value) ? this.density.failure : undefined;
    return failure?.kind === 'error' ? { problem: failure.message, isFinal: true } : undefined;
  }
}

function tooMany(where: string, limit: number): string {
  return (
    `stan::variational::${where}: The number of dropped evaluations has reached its maximum amount (${limit}). ` +
    'Your model may be either severely ill-conditioned or misspecified.'
  );
}
