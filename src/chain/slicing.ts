import type { BoundData } from '../model/bind.js';
import type { EngineModel, MemoryLimits, ModelHost, ModelProgram } from './model-host.js';
import { type Helpers, SlicedModel, sliceCount } from './sliced-model.js';

/** Estimated memory of a helper, relative to that of the chain's model before its first evaluation. */
const GROWTH = 1.5;

/** The origin of a model with slices, from which helpers create their own models. */
export interface SlicedOrigin {
  readonly model: ModelProgram;
  /**
   * Returns the data: JSON text, or data that were bound to the model with the seed. Called only if the model's own bound data cannot be
   * copied.
   */
  readonly data: () => string | BoundData;
  readonly seed: number;
  readonly limits: MemoryLimits;
  /** Maximum number of processors; all of the machine if absent. */
  readonly cores?: number;
}

/**
 * A model in slices, on at most `threads` threads, including the calling thread; undefined if slices are not worthwhile. Helpers have
 * instances of the model with their own copies of the data, which must fit in the memory budget. Without helpers, the calling thread
 * evaluates every slice.
 */
export function inSlices(
  host: ModelHost,
  model: EngineModel,
  { cores = Number.POSITIVE_INFINITY, data, limits, model: compiled, seed }: SlicedOrigin,
  threads: number,
): SlicedModel | undefined {
  const slices = sliceCount(model.sliceWork?.(), model.dimension);
  if (slices === 1) return undefined;
  const { claimMemory = () => true } = limits;
  const maximumMemory = Math.min(limits.maximumMemory, Math.ceil(GROWTH * model.memoryBytes));
  let helpers: Helpers | undefined;
  if (host.sliceThreads !== undefined) {
    const most = Math.min(threads, cores, host.sliceThreads.cores, slices) - 1;
    let count = 0;
    while (count < most && claimMemory(maximumMemory)) count++;
    const { artifact, module, wasm } = compiled;
    if (count > 0) {
      const program = { artifact, module, ...(wasm && { wasm }) };
      const order = { model: program, data: model.bound?.() ?? data(), seed, maximumMemory };
      helpers = { count, threads: host.sliceThreads, order };
    }
  }
  return new SlicedModel(model, slices, helpers);
}
