/** Partially centered coordinates of a model that was compiled with them. */

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
