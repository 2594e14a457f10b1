/** The tab What if: sliders for numbers of the data and the program. */
export const explore = {
  none: 'Nothing to move yet: the data have no single numbers, and no line of the program has the comment <code>// @slider</code>. Add it behind a constant, such as <code>theta ~ beta(2, 2); // @slider</code>, and run again.',
  sliders: 'Numbers to move',
  help: 'Move a number: the program is sampled again, from the last draws.',
  drawn: '{count, plural, one {# draw} other {# draws}} in {time, number, ::group-off} ms.',
  short: 'They come from a short warmup: for a verdict, use the numbers and run.',
  rough: 'The chains have not mixed in this short run, so the curves are rough: use the numbers and run.',
  now: 'now',
  reset: 'Reset',
  apply: 'Use these numbers',
  applyHelp: 'Replaces the numbers in the program and the data',
  applied: 'The program and the data have the numbers of the sliders.',
  estimates: 'Key quantities with these numbers',
  line: 'Line {line}',
  place: 'Line {line}, number {index}',
  value: 'Value of {name}',
} as const;
