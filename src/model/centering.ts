/** Partially centered coordinates of a model that was compiled with them. */

import type { CenteringLayout } from '../wasm/artifact.js';
import type { Instance } from './instance.js';
import { type Leaf, visitStretches } from './shape.js';

/**
 * Each element of a parameter with a location and a scale has a place, 1 for centered coordinates and 0 for non-centered ones, and a reference scale
 * (`lower/partial-centering.ts`).
 */
export interface ModelCentering {
  /** The elements' indexes in the unconstrained position, in increasing order within each parameter. */
  readonly elements: Int32Array;
  /** Names of the parameters. */
  readonly names: readonly string[];
  /** Parameters with a location and a scale that keep their coordinates, each with the reason as the end of a sentence. */
  readonly leftAlone: readonly { readonly name: string; readonly reason: string }[];
  /** Sets the place of each element and the logarithm of its reference scale. The same position then represents different parameters. */
  setPlaces(places: Float64Array): void;
  /**
   * Writes for each element at a position its location, its scale, and the log derivative of the coordinate that its declaration implies.
   * Throws like `Model.writeArray`.
   */
  readOrigins(position: Float64Array, origins: Float64Array): void;
}

/**
 * Opens the coordinates of a model with `parameters`, centered and with reference scales of 1. `reserve` allocates memory permanently;
 * `generate` computes the parameters at a position.
 */
export function openCentering(
  { leftAlone, names }: CenteringLayout,
  { functions, memory }: Instance,
  parameters: readonly Leaf[],
  reserve: (bytes: number) => number,
  generate: (position: Float64Array) => void,
): ModelCentering {
  const chosen = new Set(names);
  const elements: number[] = [];
  visitStretches(parameters, ({ name }, start, length) => {
    if (chosen.has(name)) for (let k = 0; k < length; k++) elements.push(start + k);
  });
  const count = elements.length;
  const places = reserve(8 * 5 * count);
  const origins = places + 8 * 2 * count;
  functions.bindPlaces?.(places, 2 * count, origins, 3 * count);
  const setPlaces = (values: Float64Array): void => new Float64Array(memory.buffer, places, 2 * count).set(values);
  setPlaces(Float64Array.from({ length: 2 * count }, (_, k) => 1 - (k % 2)));
  return {
    elements: Int32Array.from(elements),
    names,
    leftAlone,
    setPlaces,
    readOrigins: (position, values) => {
      generate(position);
      values.set(new Float64Array(memory.buffer, origins, 3 * count));
    },
  };
}
