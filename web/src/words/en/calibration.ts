/** Simulation-based calibration. */
export const calibration = {
  label: 'Calibration',
  title: 'Simulation-based calibration',
  help: 'Draws parameters from the prior, simulates data sets, and fits each of them with the current sampler. If the program and the sampler are correct, the ranks of the parameters among the draws of their fits are uniform. Of outcomes in the data, only the sizes are used.',
  simulations: 'Simulations',
  start: 'Calibrate',
  drawing: 'Drawing from the prior…',
  progress: '{done, number} of {count, number} simulations',
  result: 'Result of the calibration',
  good: 'No miscalibration was found',
  bad: 'Miscalibration was found',
  plotted: '{shown, number} of {count, number} parameters are plotted: those whose ranks are furthest from uniform.',
  check: 'Check the calibration',
  checkHelp: 'Fits data that are simulated from the prior, and tests whether the parameters are recovered',
} as const;
