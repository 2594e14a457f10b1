import { JsonSyntaxError } from '../model/json.js';
import type { ModelHost } from './model-host.js';
import type { Refusal } from './request.js';

/** What a client sent does not belong to the model. */
export class Misfit extends Error {
  override readonly name = 'Misfit';
}

/** What to tell of an error; undefined when the fault is ours. */
export function refusalOf(host: ModelHost, error: unknown): Refusal | undefined {
  if (host.isShortage(error)) return { kind: 'shortage' };
  const message = messageOfBlame(host, error);
  return message === undefined ? undefined : { kind: 'refused', message };
}

function messageOfBlame(host: ModelHost, error: unknown): string | undefined {
  if (error instanceof Misfit) return `The request is not right: ${error.message}.`;
  if (error instanceof JsonSyntaxError) return `The data are not right: ${error.message}.`;
  if (error instanceof RangeError && /call stack/i.test(error.message))
    return 'The program nests or recurses too deeply.';
  return host.blame(error)?.message;
}
