import type { Stretch } from '../wasm/artifact.js';
import { type FailureCode, type FailureDetail, locationOf, type ValueFault } from './failure-detail.js';

/** A failure of a program, with its location if it is known. */
abstract class ProgramFailure extends Error {
  protected abstract readonly code: FailureCode;
  readonly place: Stretch | undefined;

  constructor(message: string, place?: Stretch) {
    super(message);
    this.place = place;
  }

  /** The failure as data. */
  get detail(): FailureDetail {
    return { code: this.code, ...locationOf(this.place) };
  }
}

/** The point is rejected, by `reject` or because an argument is outside the domain of a function. A sampler continues. */
export class Rejection extends ProgramFailure {
  override readonly name = 'Rejection';
  protected readonly code = 'rejection';
}

/** The host currently has no memory for the model. This is not an error in the program or its data. */
export class MemoryShortage extends Error {
  override readonly name = 'MemoryShortage';
}

/**
 * An error in the program or its data: data that do not match their declarations, an index out of range, a size mismatch, `fatal_error`,
 * infinite recursion, or exhausted memory. A run ends.
 */
export class ModelError extends ProgramFailure {
  override readonly name = 'ModelError';
  protected readonly code: FailureCode = 'program-error';
}

/** Calls in the program are nested too deeply. */
export class RecursionError extends ModelError {
  protected override readonly code = 'recursion';
}

/** The value of a variable in data or initial values does not match its declaration. */
export class ValueError extends ModelError {
  private readonly fault: ValueFault;

  constructor(message: string, fault: ValueFault, place?: Stretch) {
    super(message, place);
    this.fault = fault;
  }

  override get detail(): FailureDetail {
    return { ...this.fault, ...locationOf(this.place) };
  }
}

/** The model requires more memory than its limit permits or than is available. */
export class OutOfMemory extends ModelError {
  protected override readonly code = 'out-of-memory';
}

/** The model requires more memory than its region of a shared memory provides. */
export class RegionFull extends OutOfMemory {}
