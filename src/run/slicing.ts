import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import type { EngineModel, ModelHost } from './model-host.js';
import type { RunRequest } from './request.js';
import { type Helpers, SlicedModel, sliceCount } from './sliced-model.js';

/** A helper's memory relative to that of the chain's model, which has not evaluated anything yet. */
const GROWTH = 1.5;

/**
 * The model of a chain in slices, on at most `threads` threads; undefined if its density remains whole, because `threads` is not given or
 * slices do not pay. Helpers have instances of the model with their own copies of the data, for which the memory budget must have room;
 * without them, the chain's thread evaluates every slice.
 */
export function inSlices(
  host: ModelHost,
  model: EngineModel,
  { cores = 1, data, limits, model: compiled, seed }: RunRequest,
  threads: ArgumentValue | undefined,
): SlicedModel | undefined {
  if (typeof threads !== 'number') return undefined;
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
    const bound = (count > 0 ? model.bound?.() : undefined) ?? data;
    const order = { model: { artifact, module, ...(wasm && { wasm }) }, data: bound, seed, maximumMemory };
    helpers = { count, threads: host.sliceThreads, order };
  }
  return new SlicedModel(model, slices, helpers);
}
