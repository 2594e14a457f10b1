import type { ArgumentProblem } from '../inference/algorithms/arguments.js';

/** The request is invalid; `problems` lists all errors by field. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly problems: readonly ArgumentProblem[];

  constructor(
    problems: readonly ArgumentProblem[],
    text = problems.map(({ field, message }) => `${field} ${message}`).join('\n'),
  ) {
    super(text);
    this.problems = problems;
  }
}
