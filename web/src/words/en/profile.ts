/** The time of a gradient by statement. */
export const profile = {
  label: 'Profile',
  action: 'Profile the program',
  title: 'Time of a gradient by statement',
  help: 'Measures how long each statement takes in one evaluation of the log density and its gradient, with these data. Shares and times also appear next to the lines of the program until the program or the data change.',
  measure: 'Measure',
  measuring: 'Measuring… This takes about a second, and more for a slow or long program.',
  result: 'Result of the measurement',
  statement: 'Statement',
  share: 'Share',
  time: 'Time',
  executions: 'Executions',
  executionsHelp: 'Executions in one evaluation: one for each iteration of the loops around it',
  line: 'Line {line}',
  lineOf: '{file}, line {line}',
  total:
    '{time} per gradient: the smallest mean of a batch, among {count, number} evaluations. {share} of it is not due to any statement.',
} as const;
