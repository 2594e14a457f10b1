import type { Artifact, DataLayout } from '../wasm/artifact.js';
import { ModelError } from './errors.js';
import { align, type Instance } from './instance.js';
import type { JsonData } from './json.js';
import { elementCount } from './shape.js';
import { type FoundValue, memberOf, readValue, toMemoryOrder, variableProblem } from './values.js';

const STAGE = 'data initialization';
const WRONG_SIZE =
  /^Exception: mismatch in dimension declared and found in context; .*variable name=([^;]+); position=\d+; dims declared=\(([\d,]*)\); dims found=\([-\d,]*\)(.*)$/s;

interface Found {
  readonly layout: DataLayout;
  /** Sizes in the JSON; null where the variable is missing. */
  readonly sizes: readonly number[] | null;
}

/**
 * Writes the data of a model to memory. Only the module knows the declared sizes, so that a container whose number of
 * dimensions is wrong, or that is missing, goes in with sizes -1; `prepare` then stops with the declared sizes, and `mend`
 * tells what was really wrong, or lets it pass where nothing was: what is declared empty may be anything, or missing.
 */
export class DataLoader {
  readonly #instance: Instance;
  readonly #artifact: Artifact;
  readonly #containers = new Map<string, Found>();
  #end: number;

  constructor(instance: Instance, artifact: Artifact) {
    this.#instance = instance;
    this.#artifact = artifact;
    this.#end = artifact.layout.free;
  }

  /** First free address behind the data. */
  get end(): number {
    return this.#end;
  }

  /** Throws `ModelError` for what is not a value of its variable's type. */
  write(data: JsonData): void {
    for (const layout of this.#artifact.data) {
      const json = memberOf(data, layout.name);
      if (json !== undefined) {
        const value = readValue(json, layout, STAGE);
        if (layout.rank === 0) this.#writeScalar(layout, value);
        else this.#writeContainer(layout, value);
      } else if (layout.rank === 0) {
        throw new ModelError(`Exception: ${variableProblem('variable does not exist', STAGE, layout)}`);
      } else {
        this.#containers.set(layout.name, { layout, sizes: null });
        this.#writeSizes(layout, new Array(layout.rank).fill(-1));
      }
    }
  }

  /** Returns when `prepare` can be run again, otherwise throws what is to be said. */
  mend(error: unknown): void {
    if (!(error instanceof ModelError)) throw error;
    const match = WRONG_SIZE.exec(error.message);
    const found = match === null ? undefined : this.#containers.get(match[1]);
    if (match === null || found === undefined) throw error;
    const [, name, declaredText, place] = match;
    const declared = declaredText.split(',').map(Number);
    const { layout, sizes } = found;
    if (elementCount({ sizes: declared }) === 0) {
      this.#writeSizes(layout, declared);
      return;
    }
    // Stan takes a slot that is missing for a scalar.
    if (sizes === null && !name.includes('.')) {
      throw new ModelError(`Exception: ${variableProblem('variable does not exist', STAGE, layout)}${place}`);
    }
    if (sizes?.length === layout.rank) throw error;
    throw new ModelError(
      `Exception: mismatch in number dimensions declared and found in context; processing stage=${STAGE}; ` +
        `variable name=${name}; dims declared=(${declaredText}); dims found=(${(sizes ?? []).join(',')})${place}`,
    );
  }

  #writeScalar({ name, type, slot }: DataLayout, { sizes, elements }: FoundValue): void {
    if (sizes.length > 0) {
      throw new ModelError(
        `Exception: mismatch in number dimensions declared and found in context; processing stage=${STAGE}; ` +
          `variable name=${name}; dims declared=(); dims found=(${sizes.join(',')})`,
      );
    }
    const view = new DataView(this.#instance.memory.buffer);
    if (type === 'int') view.setInt32(slot, elements[0], true);
    else view.setFloat64(slot, elements[0], true);
  }

  #writeContainer(layout: DataLayout, { sizes, elements }: FoundValue): void {
    this.#containers.set(layout.name, { layout, sizes });
    const fits = sizes.length === layout.rank;
    this.#writeSizes(layout, fits ? sizes : new Array(layout.rank).fill(-1));
    if (!fits) return;
    const { type, element, arrayDepth } = layout;
    const start = this.#end;
    this.#end = align(start + elements.length * (type === 'int' ? 4 : 8), 16);
    this.#instance.ensure(this.#end);
    const { buffer } = this.#instance.memory;
    new DataView(buffer).setInt32(layout.slot, start, true);
    const target = type === 'int' ? new Int32Array(buffer, start) : new Float64Array(buffer, start);
    toMemoryOrder(elements, sizes, element, arrayDepth, (position, number) => {
      target[position] = number;
    });
  }

  #writeSizes({ slot }: DataLayout, sizes: readonly number[]): void {
    const view = new DataView(this.#instance.memory.buffer);
    for (const [axis, size] of sizes.entries()) view.setInt32(slot + 4 * (1 + axis), size, true);
  }
}
