/** The point is rejected, by `reject` or because an argument is outside the domain of a function. A sampler continues. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
}

/** The host currently has no memory for the model. This is not an error in the program or its data. */
export class MemoryShortage extends Error {
  override readonly name = 'MemoryShortage';
}

/**
 * An error in the program or its data: data that do not match their declarations, an index out of range, a size mismatch, `fatal_error`,
 * infinite recursion, or exhausted memory. A run ends.
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** The model requires more memory than its limit permits or than is available. */
export class OutOfMemory extends ModelError {}

/** The model requires more memory than its region of a shared memory provides. */
export class RegionFull extends OutOfMemory {}
