/** The point is refused: `reject`, or an argument outside a function's domain. A sampler continues. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
}

/** The host has no memory for the model at present; neither the program nor its data are at fault. */
export class MemoryShortage extends Error {
  override readonly name = 'MemoryShortage';
}

/**
 * The program or its data are at fault: data that do not fit their declarations, an index out of range, sizes that do not
 * match, `fatal_error`, recursion without end, or memory used up. A run ends.
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';
}

/** The model needs more memory than it may take, or than there is. */
export class OutOfMemory extends ModelError {}
