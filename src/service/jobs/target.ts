import type { Failure, Target } from '../../inference/target.js';
import type { DensityForm, Engine, EngineModel } from './engine.js';

const WHOLE: DensityForm = { propto: false, jacobian: true };
const KERNEL: DensityForm = { propto: true, jacobian: true };
const ALL_PARTS = { transformedParameters: true, generatedQuantities: true };

/** A model as the algorithms see it: errors that it throws become failures that they can go on from. */
export class ModelTarget implements Target {
  readonly dimension: number;
  readonly drawLength: number;
  failure: Failure | undefined;
  private readonly engine: Engine;
  private readonly model: EngineModel;
  private readonly printed: string[];

  /** `printed` receives what the model prints. */
  constructor(engine: Engine, model: EngineModel, printed: string[], seed: number, chain: number) {
    this.engine = engine;
    this.model = model;
    this.printed = printed;
    this.dimension = model.dimension;
    this.drawLength = model.constrainedNames(ALL_PARTS).length;
    model.seedRandom(seed, chain);
  }

  logDensity(position: Float64Array): number {
    return this.attempt(() => this.model.logDensity(position, WHOLE));
  }

  logDensityGradient(position: Float64Array, gradient: Float64Array): number {
    this.failure = undefined;
    try {
      return this.model.logDensityGradient(position, gradient, KERNEL);
    } catch (error) {
      return this.fail(error);
    }
  }

  writeDraw(position: Float64Array, draw: Float64Array, offset: number): Failure | undefined {
    const out = draw.subarray(offset, offset + this.drawLength);
    this.attempt(() => {
      this.model.writeArray(position, out, ALL_PARTS);
      return 0;
    });
    return this.failure;
  }

  takePrinted(): string {
    return this.printed.length === 0 ? '' : this.printed.splice(0).join('');
  }

  private attempt(evaluate: () => number): number {
    this.failure = undefined;
    try {
      return evaluate();
    } catch (error) {
      return this.fail(error);
    }
  }

  private fail(error: unknown): number {
    this.failure = this.engine.blame(error);
    if (this.failure === undefined) throw error;
    return Number.NaN;
  }
}
