/** Output of optimizers: the status of each saved point, and Stan's remarks among the draws. */

/** The log density, and the code of the step that led to the point: 0 if the optimizer continues, -1 for a failure. */
export const COLUMNS = ['lp__', 'converged__'];

export const TERMINATED_NORMALLY = 'Optimization terminated normally: ';
export const TERMINATED_WITH_ERROR = 'Optimization terminated with error: ';
