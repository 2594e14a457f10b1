/** The point is rejected: `reject`, or an argument outside a function's domain. A sampler continues. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
}

/** The host has no memory for the model at present; neither the program nor its data are at fault. */
export class MemoryShortage extends Error {
  override readonly name = 'MemoryShortage';
}

/**
 * The error is in the program or its data: data that do not fit their declarations, an index out of range, sizes that do not match,
 * `fatal_error`, infinite recursion, or exhausted memory. A run ends.
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** The model needs more memory than its limit, or than is available. */
export class OutOfMemory extends ModelError {}

/** The model needs more memory than its region of a shared memory has. */
export class RegionFull extends OutOfMemory {}
