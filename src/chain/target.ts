import type { Centering, Failure, Integration, LogDensity, ResidentDensity, Target } from '../inference/target.js';
import type { ModelCentering } from '../model/centering.js';
import type { ModelIntegration } from '../model/integration.js';
import type { ResidentGradient } from '../model/model.js';
import type { DensityForm, EngineModel, ModelHost } from './model-host.js';

const ALL_PARTS = { transformedParameters: true, generatedQuantities: true };

/** A model's gradient for code in its memory, which counts its calls. */
class CountedGradient implements ResidentDensity {
  readonly count: (evaluations: number) => void;
  readonly memory: WebAssembly.Memory;
  readonly evaluate: (flags: number) => number;
  readonly flags: number;
  private readonly source: ResidentGradient;

  constructor(source: ResidentGradient, count: (evaluations: number) => void) {
    this.count = count;
    this.memory = source.memory;
    this.evaluate = source.evaluate;
    this.flags = source.flags;
    this.source = source;
  }

  get position(): number {
    return this.source.position;
  }

  get gradient(): number {
    return this.source.gradient;
  }

  reserve(bytes: number): number {
    return this.source.reserve(bytes);
  }
}

/** A model's log density in one form. Errors that the model throws become failures from which algorithms can continue. */
class ModelDensity implements LogDensity {
  readonly dimension: number;
  readonly resident: ResidentDensity | undefined;
  failure: Failure | undefined;
  /** Whether the memory has sufficed for a gradient. */
  private hasFitted = false;
  /** Number of evaluated gradients. */
  gradients = 0;
  protected readonly model: EngineModel;
  private readonly host: ModelHost;
  private readonly printed: string[];
  /** The forms with all constants, and without constants. */
  private readonly whole: DensityForm;
  private readonly kernel: DensityForm;

  constructor(host: ModelHost, model: EngineModel, printed: string[], jacobian: boolean) {
    this.host = host;
    this.model = model;
    this.printed = printed;
    this.whole = { propto: false, jacobian };
    this.kernel = { propto: true, jacobian };
    this.dimension = model.dimension;
    const gradient = model.resident?.(this.kernel);
    const count = (evaluations: number) => {
      this.gradients += evaluations;
    };
    this.resident = gradient && new CountedGradient(gradient, count);
  }

  hessian(position: Float64Array, hessian: Float64Array): boolean {
    try {
      const isThere = this.model.hessian?.(position, hessian, this.kernel) === true;
      if (isThere) this.gradients += this.dimension;
      return isThere;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  logDensity(position: Float64Array): number {
    this.failure = undefined;
    try {
      return this.model.logDensity(position, this.whole);
    } catch (error) {
      return this.fail(error);
    }
  }

  logDensityGradient(position: Float64Array, gradient: Float64Array): number {
    this.failure = undefined;
    this.gradients++;
    try {
      const value = this.model.logDensityGradient(position, gradient, this.kernel);
      this.hasFitted = true;
      return value;
    } catch (error) {
      const blame = this.host.blame(error);
      if (blame === undefined) throw error;
      // If the memory has sufficed for an earlier position but not for this one, for example because a solver takes very many steps, the
      // position is rejected.
      const isOfPosition = this.hasFitted && this.host.isOverLimit(error);
      this.failure = isOfPosition ? { kind: 'rejection', message: blame.message } : blame;
      return Number.NaN;
    }
  }

  takePrinted(): string {
    return this.printed.length === 0 ? '' : this.printed.splice(0).join('');
  }

  protected fail(error: unknown): number {
    this.failure = this.host.blame(error);
    if (this.failure === undefined) throw error;
    return Number.NaN;
  }
}

/** A model as a target of algorithms. */
export class ModelTarget extends ModelDensity implements Target {
  readonly drawLength: number;
  readonly generatedFrom: number;
  readonly withoutJacobian: LogDensity;
  readonly centering?: Centering;
  readonly integration?: Integration;

  /** `printed` receives what the model prints. */
  constructor(host: ModelHost, model: EngineModel, printed: string[], seed: number, chain: number) {
    super(host, model, printed, true);
    this.withoutJacobian = new ModelDensity(host, model, printed, false);
    this.drawLength = model.constrainedNames(ALL_PARTS).length;
    this.generatedFrom = model.constrainedNames({ ...ALL_PARTS, generatedQuantities: false }).length;
    model.seedRandom(seed, chain);
    if (model.centering !== undefined) this.centering = this.centeringOf(model.centering);
    if (model.integration !== undefined) this.integration = integrationOf(model.integration);
  }

  private centeringOf(centering: ModelCentering): Centering {
    const { elements, leftAlone, names } = centering;
    return {
      elements,
      setPlaces: (places) => centering.setPlaces(places),
      readOrigins: (position, origins) => {
        this.failure = undefined;
        try {
          centering.readOrigins(position, origins);
        } catch (error) {
          this.fail(error);
        }
        return this.failure;
      },
      report: () => [
        names.length === 0
          ? 'No parameter has partially centered coordinates.'
          : `Partially centered coordinates: ${names.join(', ')}.`,
        ...leftAlone.map(({ name, reason }) => `${name} keeps its coordinates: ${reason}.`),
      ],
    };
  }

  writeDraw(position: Float64Array, draw: Float64Array, offset: number): Failure | undefined {
    this.failure = undefined;
    try {
      this.model.writeArray(position, draw, ALL_PARTS, offset);
    } catch (error) {
      this.fail(error);
    }
    return this.failure;
  }
}

function integrationOf({ excess, integrated, sampled }: ModelIntegration): Integration {
  return {
    excess,
    report: () => [
      integrated.length === 0 ? 'No parameter is integrated out.' : `Integrated out: ${integrated.join(', ')}.`,
      ...sampled.map(({ name, reason }) => `${name} is sampled: ${reason}.`),
    ],
  };
}
