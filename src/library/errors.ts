/** What calls of the library reject with. Faults of ours are plain errors; an abort rejects with the signal's reason. */
import type { ArgumentProblem } from '../inference/algorithms/arguments.js';
import type { DiagnosticDetail } from '../run/engine.js';

/** The program is not right. The message is what the compiler prints. */
export class CompileError extends Error {
  override readonly name = 'CompileError';
  readonly diagnostics: readonly DiagnosticDetail[];

  constructor(text: string, diagnostics: readonly DiagnosticDetail[]) {
    super(text);
    this.diagnostics = diagnostics;
  }
}

/** What was asked for is not right; `problems` lists all that is wrong, field by field. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly problems: readonly ArgumentProblem[];

  constructor(problems: readonly ArgumentProblem[]) {
    super(problems.map(({ field, message }) => `${field} ${message}`).join('\n'));
    this.problems = problems;
  }
}

/** A part of the library that is loaded when it is needed cannot be had: the network is away, or its files have been replaced. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
}

/** The program, its data or its inputs failed when they were run. The message is the program's, with the warnings that led to it. */
export class RunError extends Error {
  override readonly name = 'RunError';
}
