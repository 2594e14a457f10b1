import type { JsonData } from '../formats/stan-json.js';
import type { Artifact, DataLayout } from '../wasm/artifact.js';
import { ModelError } from './errors.js';
import { align, type Instance } from './instance.js';
import { elementCount } from './shape.js';
import {
  type FoundValue,
  halfOf,
  memberOf,
  missingVariable,
  readValue,
  refuseForeign,
  sizeError,
  toMemoryOrder,
} from './values.js';

const STAGE = 'data initialization';
const WRONG_SIZE =
  /^Exception: mismatch in dimension declared and found in context; .*variable name=([^;]+); position=\d+; dims declared=\(([\d,]*)\); dims found=\([-\d,]*\)/s;

interface Found {
  readonly layout: DataLayout;
  /** Sizes of the JSON value, including the size of the pair for complex numbers; null if the variable is missing. */
  readonly sizes: readonly number[] | null;
}

/**
 * Writes the data of a model to memory. Only the module can compute the declared sizes, so a container that is missing or has the wrong
 * number of dimensions gets the sizes -1. `prepare` then stops with the declared sizes, and `correct` throws the error that describes the
 * data. A container that is declared empty may be missing or have any value; then `correct` returns.
 */
export class DataLoader {
  readonly #instance: Instance;
  readonly #artifact: Artifact;
  /** By name. The two parts of complex numbers have the same name. */
  readonly #containers = new Map<string, readonly Found[]>();
  #end: number;

  constructor(instance: Instance, artifact: Artifact) {
    this.#instance = instance;
    this.#artifact = artifact;
    this.#end = artifact.layout.free;
  }

  /** First free address after the data. */
  get end(): number {
    return this.#end;
  }

  /** Writes the data. Throws `ValueError` for a value that does not have the type of its variable, or does not belong to a variable. */
  write(data: JsonData): void {
    refuseForeign(
      data,
      this.#artifact.data.map(({ name }) => name),
      STAGE,
    );
    for (const layout of this.#artifact.data) {
      const json = memberOf(data, layout.name);
      if (json !== undefined) {
        const value = readValue(json, layout, STAGE);
        if (layout.rank === 0) this.#writeScalar(layout, value);
        else this.#writeContainer(layout, value);
      } else if (layout.rank === 0) {
        throw missingVariable(STAGE, layout);
      } else {
        this.#keep({ layout, sizes: null });
        this.#writeSizes(layout, new Array(layout.rank).fill(-1));
      }
    }
  }

  /** Handles an error of `prepare`: returns if `prepare` can be run again, and otherwise throws the error to report. */
  correct(error: unknown): void {
    if (!(error instanceof ModelError)) throw error;
    const match = WRONG_SIZE.exec(error.message);
    const parts = match === null ? undefined : this.#containers.get(match[1]);
    if (match === null || parts === undefined) throw error;
    const [, name, declaredText] = match;
    const declared = declaredText.split(',').map(Number);
    const [{ layout, sizes }] = parts;
    if (elementCount({ sizes: declared }) === 0) {
      for (const part of parts) this.#writeSizes(part.layout, declared.slice(0, part.layout.rank));
      return;
    }
    // Stan treats a missing slot as a scalar.
    if (sizes === null && !name.includes('.')) {
      throw missingVariable(STAGE, layout);
    }
    const { place: declaredAt } = error;
    throw sizeError({ name, ...(declaredAt && { declaredAt }) }, STAGE, declared, sizes ?? []) ?? error;
  }

  #keep(found: Found): void {
    const { name } = found.layout;
    this.#containers.set(name, [...(this.#containers.get(name) ?? []), found]);
  }

  #writeScalar(layout: DataLayout, { sizes, elements }: FoundValue): void {
    const { complexPart, slot, type } = layout;
    const error = sizeError(layout, STAGE, complexPart === undefined ? [] : [2], sizes);
    if (error !== undefined) throw error;
    const view = new DataView(this.#instance.memory.buffer);
    const value = elements[complexPart ?? 0];
    if (type === 'int') view.setInt32(slot, value, true);
    else view.setFloat64(slot, value, true);
  }

  #writeContainer(layout: DataLayout, found: FoundValue): void {
    this.#keep({ layout, sizes: found.sizes });
    const { complexPart } = layout;
    const isPairs = found.sizes.at(-1) === 2;
    const { sizes, elements } = complexPart !== undefined && isPairs ? halfOf(found, complexPart) : found;
    const fits = sizes.length === layout.rank && (complexPart === undefined || isPairs);
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
