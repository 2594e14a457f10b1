/**
 * A numerical method as Stan functions. The call supplies the functions that the source declares without a body: the caller's own function with its
 * further arguments, and errors with Stan's messages.
 */
export interface Method {
  readonly name: string;
  readonly text: string;
}

/** Available to every method: returns its argument as a constant, with zero derivatives. */
export const DETACHED = 'detached';

/** Available to every method: whether second derivatives must also be correct. */
export const HAS_SECOND_DERIVATIVES = 'has_second_derivatives';

/** Declarations that precede the source of every method. */
export const DECLARATIONS = [
  ...['real', 'vector', 'matrix', 'array[] real'].map((type) => `${type} ${DETACHED}(${type} x);\n`),
  `int ${HAS_SECOND_DERIVATIVES}();\n`,
].join('');
