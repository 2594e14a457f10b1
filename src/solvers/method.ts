import { SOURCES } from './sources.generated.js';

/**
 * A numerical method: a file of Stan functions in this folder. The call supplies the functions that the file declares without a body: the
 * user's function with its further arguments, and errors with Stan's messages.
 */
export type Method = keyof typeof SOURCES;

/** The files of this folder by the names in their includes. */
export const SOLVER_SOURCES: ReadonlyMap<string, string> = new Map(
  Object.entries(SOURCES).map(([name, text]) => [`${name}.stanfunctions`, text]),
);

/** Available to every method: returns its argument with derivative 0. */
export const DETACHED = 'detached';

/** Available to every method: whether second derivatives must also be correct. */
export const HAS_SECOND_DERIVATIVES = 'has_second_derivatives';
