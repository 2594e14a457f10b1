import type { Artifact, DataLayout } from '../wasm/artifact.js';
import { ModelError } from './errors.js';
import { align, type Instance } from './instance.js';
import type { JsonData } from './json.js';
import { type FoundValue, readValue, toMemoryOrder, variableProblem } from './values.js';

const STAGE = 'data initialization';

/** Data variables whose JSON has not the declared number of dimensions, or that are not there: `prepare` says what was declared. */
export class OddVariables {
  readonly #dims = new Map<string, readonly number[] | null>();

  add(name: string, dims: readonly number[] | null): void {
    this.#dims.set(name, dims);
  }

  /**
   * `prepare` finds size -1 in these variables and stops with its message of a wrong size; the better words for what is
   * wrong are Stan's for a wrong number of dimensions or a missing variable.
   */
  reword(error: unknown): unknown {
    if (!(error instanceof ModelError) && !(error instanceof Error)) return error;
    const match = /variable name=([^;]+);.*dims declared=(\([\d,]*\))/s.exec(error.message);
    if (match === null) return error;
    const [, name, declared] = match;
    const found = this.#dims.get(name);
    if (found === undefined) return error;
    return new ModelError(
      `Exception: mismatch in number dimensions declared and found in context; processing stage=${STAGE}; ` +
        `variable name=${name}; dims declared=${declared}; dims found=(${found?.join(',') ?? ''})`,
    );
  }
}

/** Writes every data variable to memory from `free` on and its place to its slot; returns the first free address. */
export function writeData(instance: Instance, artifact: Artifact, data: JsonData, odd: OddVariables): number {
  let free = artifact.layout.free;
  for (const layout of artifact.data) {
    const json = Object.hasOwn(data, layout.name) ? data[layout.name] : undefined;
    if (json === undefined) {
      throw new ModelError(`Exception: ${variableProblem('variable does not exist', STAGE, layout)}`);
    }
    const value = readValue(json, layout, STAGE);
    if (layout.rank === 0) writeScalar(instance, layout, value);
    else free = writeContainer(instance, layout, value, free, odd);
  }
  return free;
}

function writeScalar(instance: Instance, layout: DataLayout, { sizes, elements }: FoundValue): void {
  if (sizes.length > 0) {
    throw new ModelError(
      `Exception: mismatch in number dimensions declared and found in context; processing stage=${STAGE}; ` +
        `variable name=${layout.name}; dims declared=(); dims found=(${sizes.join(',')})`,
    );
  }
  const view = new DataView(instance.memory.buffer);
  if (layout.type === 'int') view.setInt32(layout.slot, elements[0], true);
  else view.setFloat64(layout.slot, elements[0], true);
}

function writeContainer(
  instance: Instance,
  { name, type, element, arrayDepth, rank, slot }: DataLayout,
  { sizes, elements }: FoundValue,
  free: number,
  odd: OddVariables,
): number {
  const end = align(free + elements.length * (type === 'int' ? 4 : 8), 16);
  instance.ensure(end);
  const { buffer } = instance.memory;
  const view = new DataView(buffer);
  view.setInt32(slot, free, true);
  const isEmpty = elements.length === 0;
  const fits = sizes.length === rank || isEmpty;
  if (!fits) odd.add(name, sizes);
  for (let axis = 0; axis < rank; axis++) {
    view.setInt32(slot + 4 * (1 + axis), fits ? (sizes[axis] ?? 0) : -1, true);
  }
  if (fits) {
    const target = type === 'int' ? new Int32Array(buffer, free) : new Float64Array(buffer, free);
    toMemoryOrder(elements, sizes, element, arrayDepth, (position, number) => {
      target[position] = number;
    });
  }
  return end;
}
