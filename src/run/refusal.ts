import type { Input } from '../inference/algorithms/algorithm.js';
import { JsonSyntaxError } from '../model/json.js';
import type { ModelHost } from './model-host.js';
import type { Refusal } from './request.js';

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
}

/** The refusal for an error; undefined for internal errors. */
export function refusalOf(host: ModelHost, error: unknown): Refusal | undefined {
  if (host.isShortage(error)) return { kind: 'shortage' };
  const message = messageOfBlame(host, error);
  if (message === undefined) return undefined;
  const input = error instanceof Misfit ? error.input : undefined;
  return { kind: 'refused', message, ...(input !== undefined && { input }) };
}

function messageOfBlame(host: ModelHost, error: unknown): string | undefined {
  if (error instanceof Misfit) return `Invalid request: ${error.message}.`;
  if (error instanceof FailedCall) return error.message;
  if (error instanceof JsonSyntaxError) return `Invalid data: ${error.message}.`;
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return 'The program nests or recurses too deeply.';
  return host.blame(error)?.message;
}
