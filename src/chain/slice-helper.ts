import { parseStanData } from '../formats/stan-json.js';
import type { DensityForm, EngineModel, ModelHost, SliceOrder } from './model-host.js';
import { SliceBoard } from './slice-board.js';

/** The work of a helper's thread: evaluates slices until the board is closed. */
export function performSlices(host: ModelHost, order: SliceOrder): void {
  const { buffer, data, maximumMemory, model, seed, sizes, thread } = order;
  const board = new SliceBoard(sizes, thread, buffer);
  const options = { print: () => undefined, maximumMemory };
  const made =
    typeof data === 'string'
      ? host.instantiate(model, parseStanData(data), { ...options, seed })
      : host.instantiateBound?.(model, data, options);
  if (made === undefined) throw new Error('this host cannot create models from bound data');
  try {
    serve(board, made);
  } finally {
    made.close?.();
  }
}

/** Evaluates slices until the board is closed. */
function serve(board: SliceBoard, made: EngineModel): void {
  const { dimension, slices } = board.sizes;
  const formsOf = sliceForms(slices);
  const position = new Float64Array(dimension);
  let form = board.form;
  let evaluation = 0;
  let placed = 0;
  for (let slice = board.next(); slice !== undefined; slice = board.next()) {
    if (board.evaluation !== evaluation) {
      evaluation = board.evaluation;
      position.set(board.position);
      form = board.form;
    }
    if (board.placed !== placed) {
      placed = board.placed;
      made.centering?.setPlaces(board.places);
    }
    const gradient = form.hasGradient ? board.gradientOf(slice) : undefined;
    board.finish(slice, attempt(made, position, gradient, formsOf(form)[slice]));
  }
}

/** The value of a slice; undefined if its evaluation fails. The thread of the chain then repeats it. */
function attempt(
  model: EngineModel,
  position: Float64Array,
  gradient: Float64Array | undefined,
  form: DensityForm,
): number | undefined {
  try {
    return evaluate(model, position, gradient, form);
  } catch {
    return undefined;
  }
}

/** Returns the log density, and writes its gradient to `gradient` if given. */
export function evaluate(
  model: EngineModel,
  position: Float64Array,
  gradient: Float64Array | undefined,
  form: DensityForm,
): number {
  return gradient === undefined ? model.logDensity(position, form) : model.logDensityGradient(position, gradient, form);
}

/** The forms of all slices for each form of a density, created once per form. */
export function sliceForms(count: number): (form: DensityForm) => readonly DensityForm[] {
  const known = new Map<number, readonly DensityForm[]>();
  return ({ jacobian, propto }) => {
    const key = (propto ? 1 : 0) | (jacobian ? 2 : 0);
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = Array.from({ length: count }, (_, index) => ({ propto, jacobian, slice: { index, count } }));
    known.set(key, made);
    return made;
  };
}
