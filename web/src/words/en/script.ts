/** The script beside the results. */
export const script = {
  run: 'Run the script',
  stop: 'Stop the script',
  exampleDraws: 'Example: plot draws',
  exampleData: 'Example: simulate data',
  editor: 'Script in JavaScript',
  help: 'JavaScript with <code>draws</code>, <code>chain</code>, <code>data</code> and Observable Plot as <code>Plot</code>. Output: <code>print(…)</code>, <code>table(…)</code>, <code>show(plot)</code>. A returned object can become the data.',
  output: 'Output of the script',
  running: 'The script runs…',
  errorAt: 'Line {line}: {message}',
  moreRows: '{count, plural, one {# more row} other {# more rows}}',
  dataTaken: 'The data now come from the script.',
  tooManyDraws: 'The run has too many draws for a script.',
  tooLong: 'The script was stopped after {seconds} seconds.',
  stopped: 'The script was stopped.',
  notStarted: 'The script could not be started.',
  tooManyOutputs: 'The script was stopped after {count} outputs.',
} as const;
