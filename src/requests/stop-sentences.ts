/** The English sentences about the reason why a run has stopped. */
export const STOP_SENTENCES = {
  stoppedPrecise: 'Stopped after {iterations} iterations: the draws are as precise as required.',
  stoppedAbove:
    'Stopped after {iterations} iterations: max_iterations is reached. {statistic} of {quantity} is {value}; it must be at most {limit}.',
  stoppedBelow:
    'Stopped after {iterations} iterations: max_iterations is reached. {statistic} of {quantity} is {value}; it must be at least {limit}.',
  stoppedUnknown:
    'Stopped after {iterations} iterations: max_iterations is reached. {statistic} of {quantity} cannot be computed; the limit is {limit}.',
} as const;
