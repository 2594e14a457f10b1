/**
 * A numerical method as Stan functions. Those that the text declares without a body are given by the call: the caller's own
 * function with its further arguments, and errors with Stan's texts.
 */
export interface Method {
  readonly name: string;
  readonly text: string;
}

/** Given to every method: its argument as a constant, through which no derivative passes. */
export const DETACHED = 'detached';

/** Given to every method: whether derivatives of the second order must also be right. */
export const HAS_SECOND_DERIVATIVES = 'has_second_derivatives';

/** Before the text of every method. */
export const DECLARATIONS = [
  ...['real', 'vector', 'matrix', 'array[] real'].map((type) => `${type} ${DETACHED}(${type} x);\n`),
  `int ${HAS_SECOND_DERIVATIVES}();\n`,
].join('');
