/** Reads request bodies: strict UTF-8, JSON with Stan's bare tokens, data and initial values left as text. */
import { JsonSyntaxError, type JsonText, parseStanEnvelope, type StanJson } from '../model/json.js';
import { problems } from './errors.js';

/** Fields whose value is Stan data: checked to be JSON here and read by the worker that needs them. */
const VERBATIM: ReadonlySet<string> = new Set(['data', 'init', 'constrained_parameters']);

export type RequestBody = StanJson | { readonly [name: string]: StanJson | JsonText } | undefined;

/** The value of a JSON body; undefined for an empty one. Throws the catalogue's errors. */
export function readBody(bytes: Uint8Array): RequestBody {
  if (bytes.length === 0) return undefined;
  try {
    return parseStanEnvelope(decode(bytes), VERBATIM, { plainNumbers: true });
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw problems.badJson(error.message);
    throw error;
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw problems.badUtf8();
  }
}
