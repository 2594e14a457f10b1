import type { JsonData } from '../formats/stan-json.js';
import type { ModelCentering } from '../model/centering.js';
import type { DensityForm, EngineModel, OutputParts, SliceOrder, SliceThreads, SliceWork } from './model-host.js';
import { MOST_SLICES, SliceBoard } from './slice-board.js';
import { evaluate, sliceForms } from './slice-helper.js';

/** Minimum estimated nanoseconds of a slice: several times the time in which two threads synchronize. */
const LEAST_WORK = 10_000;
/** Minimum work, in units of `LEAST_WORK`, for which slices are worthwhile. */
const LEAST_SLICES = 10;
/** Maximum repeated work of slices, as a fraction of the divided work. */
const MOST_REPEATED = 0.04;
/** Estimated nanoseconds to clear, write, copy and add an element of the gradient. */
const ELEMENT = 2;

/**
 * The number of slices of a density with this work: a power of two that depends only on model and data. It is 1 if slices are not
 * worthwhile or the model has none.
 */
export function sliceCount(work: SliceWork | undefined, dimension: number): number {
  if (work === undefined || !(work.divided >= LEAST_SLICES * LEAST_WORK)) return 1;
  const repeated = work.shared + ELEMENT * dimension;
  let count = 1;
  for (let more = 2; more <= MOST_SLICES; more *= 2) {
    if (more * LEAST_WORK <= work.divided && (more - 1) * repeated <= MOST_REPEATED * work.divided) count = more;
  }
  return count;
}

/** Milliseconds without a result after which the helpers are abandoned. */
const PATIENCE = 5000;
/** Maximum time of a helper's evaluation of a slice, relative to the longest one so far. */
const SLACK = 50;

/** Helpers of a sliced model. */
export interface Helpers {
  /** The maximum number of helpers, at least 1. */
  readonly count: number;
  readonly threads: SliceThreads;
  readonly order: Omit<SliceOrder, 'sizes' | 'buffer' | 'thread'>;
}

/**
 * A model whose log density is the sum of its slices, in their order. Helpers on other threads, if there are any, evaluate some slices, and
 * the model evaluates the others; the result does not depend on the division. If a slice fails, the model evaluates the whole density,
 * which reports the first failure in the program.
 */
export class SlicedModel implements EngineModel {
  readonly dimension: number;
  readonly parameters: EngineModel['parameters'];
  readonly withoutHessian: string | undefined;
  readonly centering: ModelCentering | undefined;
  readonly integration: EngineModel['integration'];
  readonly slices: number;
  private readonly model: EngineModel;
  private readonly forms: (form: DensityForm) => readonly DensityForm[];
  private readonly part: Float64Array;
  /** Undefined if there are no helpers or they have been abandoned. */
  private board: SliceBoard | undefined;
  private longest = 0;
  /** Number of bytes of memory reserved for the helpers. */
  private helperBytes = 0;

  constructor(model: EngineModel, slices: number, helpers?: Helpers) {
    const { centering, dimension } = model;
    this.model = model;
    this.slices = slices;
    this.dimension = dimension;
    this.parameters = model.parameters;
    this.withoutHessian = model.withoutHessian;
    this.integration = model.integration;
    this.forms = sliceForms(slices);
    this.part = new Float64Array(dimension);
    if (helpers !== undefined) {
      const { count, order, threads } = helpers;
      const places = 2 * (centering?.elements.length ?? 0);
      const sizes = { dimension, slices, places, threads: 1 + count };
      const board = new SliceBoard(sizes, 0);
      for (let thread = 1; thread <= count; thread++) threads.start({ ...order, sizes, buffer: board.buffer, thread });
      this.board = board;
      this.helperBytes = count * order.maximumMemory;
    }
    this.centering = centering && {
      ...centering,
      setPlaces: (places) => {
        centering.setPlaces(places);
        this.board?.setPlaces(places);
      },
      readOrigins: (position, origins) => centering.readOrigins(position, origins),
    };
  }

  get memoryBytes(): number {
    return this.model.memoryBytes + this.helperBytes;
  }

  logDensity(position: Float64Array, form: DensityForm): number {
    return this.evaluate(position, undefined, form);
  }

  logDensityGradient(position: Float64Array, gradient: Float64Array, form: DensityForm): number {
    return this.evaluate(position, gradient, form);
  }

  /** Ends the helpers. Later evaluations compute every slice in the calling thread. */
  close(): void {
    this.board?.close();
    this.board = undefined;
    this.helperBytes = 0;
  }

  private evaluate(position: Float64Array, gradient: Float64Array | undefined, form: DensityForm): number {
    try {
      const { board } = this;
      return board === undefined
        ? this.alone(position, gradient, form)
        : this.together(board, position, gradient, form);
    } catch {
      return evaluate(this.model, position, gradient, form);
    }
  }

  private alone(position: Float64Array, gradient: Float64Array | undefined, form: DensityForm): number {
    const part = gradient && this.part;
    gradient?.fill(0);
    let value = 0;
    for (const slice of this.forms(form)) {
      value += evaluate(this.model, position, part, slice);
      if (gradient !== undefined) addTo(gradient, this.part);
    }
    return value;
  }

  private together(
    board: SliceBoard,
    position: Float64Array,
    gradient: Float64Array | undefined,
    form: DensityForm,
  ): number {
    const { jacobian, propto } = form;
    board.begin(position, { jacobian, propto, hasGradient: gradient !== undefined });
    const forms = this.forms(form);
    const partOf = (slice: number) => gradient && board.gradientOf(slice);
    let failure: unknown;
    for (let slice = board.take(); slice >= 0; slice = board.take()) {
      const start = performance.now();
      try {
        board.finish(slice, evaluate(this.model, position, partOf(slice), forms[slice]));
      } catch (error) {
        failure ??= error;
        board.finish(slice, undefined);
      }
      this.longest = Math.max(this.longest, performance.now() - start);
    }
    if (!board.areDone(Math.max(PATIENCE, SLACK * this.longest))) {
      // Late results must not be mixed with those of another evaluation.
      this.close();
      return this.alone(position, gradient, form);
    }
    if (failure !== undefined) throw failure;
    gradient?.fill(0);
    let value = 0;
    for (const [slice, own] of forms.entries()) {
      // A slice for which a helper has no memory may succeed here.
      if (board.hasSucceeded(slice)) value += board.valueOf(slice);
      else value += evaluate(this.model, position, partOf(slice), own);
      if (gradient !== undefined) addTo(gradient, board.gradientOf(slice));
    }
    return value;
  }

  hessian(position: Float64Array, hessian: Float64Array, form: DensityForm): boolean {
    return this.model.hessian?.(position, hessian, form) === true;
  }

  constrainedNames(parts: OutputParts): readonly string[] {
    return this.model.constrainedNames(parts);
  }

  unconstrainedNames(): readonly string[] {
    return this.model.unconstrainedNames();
  }

  profiles(): ReturnType<EngineModel['profiles']> {
    return this.model.profiles();
  }

  seedRandom(seed: number, chain: number): void {
    this.model.seedRandom(seed, chain);
  }

  randomState(): Int32Array {
    return this.model.randomState();
  }

  writeArray(position: Float64Array, out: Float64Array, parts: OutputParts, offset?: number): void {
    this.model.writeArray(position, out, parts, offset);
  }

  unconstrain(values: JsonData, position?: Float64Array, rounding?: number): Float64Array {
    return this.model.unconstrain(values, position, rounding);
  }

  unconstrainDraw(parameters: Float64Array, rounding?: number): Float64Array {
    return this.model.unconstrainDraw(parameters, rounding);
  }
}

function addTo(sum: Float64Array, part: Float64Array): void {
  for (let k = 0; k < sum.length; k++) sum[k] += part[k];
}
