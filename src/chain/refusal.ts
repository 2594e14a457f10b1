import { JsonSyntaxError } from '../formats/stan-json.js';
import type { Input } from '../inference/algorithms/algorithm.js';
import type { FailureDetail } from '../model/failure-detail.js';
import type { ModelHost } from './model-host.js';
import type { Refusal } from './request.js';
import { RunError } from './run-error.js';

/** The client's input does not match the model. */
export class Misfit extends Error {
  override readonly name = 'Misfit';
  /** The invalid input; undefined for other errors. */
  readonly input: Input | undefined;

  constructor(message: string, input?: Input) {
    super(message);
    this.input = input;
  }
}

/** A function of a program failed, with the message of the program. */
export class FailedCall extends Error {
  override readonly name = 'FailedCall';
  readonly detail: FailureDetail | undefined;

  constructor(message: string, detail: FailureDetail | undefined) {
    super(message);
    this.detail = detail;
  }
}

/** The refusal for an error; undefined for internal errors. */
export function refusalOf(host: ModelHost, error: unknown): Refusal | undefined {
  if (host.isShortage(error)) return { kind: 'shortage' };
  if (error instanceof Misfit) {
    const input = error.input && { input: error.input };
    return refused(`Invalid request: ${error.message}.`, { code: 'invalid-input', ...input });
  }
  if (error instanceof FailedCall) return refused(error.message, error.detail);
  if (error instanceof JsonSyntaxError) {
    const { column, line, message } = error;
    return refused(`Invalid data: ${message}.`, { code: 'data-syntax', line, column });
  }
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return refused('The program nests or recurses too deeply.', { code: 'recursion' });
  const blame = host.blame(error);
  return blame && refused(blame.message, blame.detail);
}

/** Performs work with models of the host. Errors of the program, its data or the request become `RunError`. */
export function refusing<Value>(host: ModelHost, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    const refusal = refusalOf(host, error);
    throw refusal?.kind === 'refused' ? new RunError(refusal) : error;
  }
}

/** A refusal with a message. By default, the run failed for no reason that has its own code. */
export function refused(message: string, detail: FailureDetail = { code: 'run-failed' }) {
  return { kind: 'refused', message, detail } as const;
}
