/** Parses request bodies: strict UTF-8, JSON with Stan's bare tokens. Keeps data and initial values as text. */
import {
  type Envelope,
  JsonSyntaxError,
  JsonText,
  parseStanEnvelope,
  Real,
  type StanJson,
} from '../../formats/stan-json.js';

/** Fields whose value is Stan data, or the name of a fit. Only their syntax is checked here; a worker parses them. */
const VERBATIM: ReadonlySet<string> = new Set([
  'data',
  'init',
  'warm_start',
  'continue',
  'mode',
  'fitted_params',
  'constrained_parameters',
  'arguments',
]);

/** Fields that are arrays of objects with verbatim fields. */
const LISTED: ReadonlySet<string> = new Set(['fits']);

/**
 * Maximum number of numbers, strings and members outside the verbatim fields. The event loop processes these one by
 * one.
 */
export const MOST_VALUES = 1_000_000;

/**
 * A body in parts that survive structured cloning. `texts`: verbatim fields of an object, without insignificant white space. `listed`: fields that are
 * arrays of objects with verbatim fields.
 */
export interface BodyParts {
  readonly plain: StanJson;
  readonly texts: Readonly<Record<string, string>>;
  readonly listed: Readonly<Record<string, readonly BodyParts[]>>;
}

export type BodyReading =
  | BodyParts
  | { readonly problem: 'not UTF-8' }
  | { readonly problem: 'too many values' }
  | { readonly problem: 'not JSON'; readonly at: string };

/** Parses a JSON body, or returns its error. */
export function readBody(bytes: Uint8Array): BodyReading {
  const text = decode(bytes);
  if (text === undefined) return { problem: 'not UTF-8' };
  try {
    const body = split(parseStanEnvelope(text, { verbatim: VERBATIM, listed: LISTED }, { plainNumbers: true }));
    return countValuesIn(body) > MOST_VALUES ? { problem: 'too many values' } : body;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { problem: 'not JSON', at: error.message };
    throw error;
  }
}

/** The body for handlers, with verbatim fields as `JsonText`. */
export function joinBody({ listed, plain, texts }: BodyParts): unknown {
  const verbatim = Object.entries(texts).map(([name, text]): [string, JsonText] => [name, new JsonText(text)]);
  const lists = Object.entries(listed).map(([name, parts]): [string, unknown[]] => [name, parts.map(joinBody)]);
  return verbatim.length + lists.length === 0
    ? plain
    : { ...Object(plain), ...Object.fromEntries(verbatim), ...Object.fromEntries(lists) };
}

function countValuesIn({ listed, plain }: BodyParts): number {
  const lists = Object.values(listed).flat();
  return countValues(plain) + lists.reduce((sum, parts) => sum + countValuesIn(parts), 0);
}

function countValues(value: StanJson): number {
  if (typeof value !== 'object' || value === null || value instanceof Real) return 1;
  if (value instanceof Float64Array) return value.length;
  let count = 1;
  for (const member of Array.isArray(value) ? value : Object.values(value)) count += countValues(member);
  return count;
}

function split(value: StanJson | Envelope): BodyParts {
  const [plain, texts, listed]: [Record<string, StanJson>, Record<string, string>, Record<string, BodyParts[]>] = [
    {},
    {},
    {},
  ];
  if (!isEnvelope(value)) return { plain: value, texts, listed };
  for (const [name, member] of Object.entries(value)) {
    if (member instanceof JsonText) texts[name] = canonicalText(member.text);
    else if (isParsed(name, member)) plain[name] = member;
    else listed[name] = member.map(split);
  }
  return { plain, texts, listed };
}

function isEnvelope(value: StanJson | Envelope): value is Envelope {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

function isParsed(name: string, member: Exclude<Envelope[string], JsonText>): member is StanJson {
  return !LISTED.has(name) || !Array.isArray(member);
}

/** JSON without insignificant white space. */
function canonicalText(json: string): string {
  if (!/\s/.test(json)) return json;
  const parts: string[] = [];
  let start = 0;
  while (start < json.length) {
    const quote = json.indexOf('"', start);
    const open = quote < 0 ? json.length : quote;
    parts.push(json.slice(start, open).replace(/\s+/g, ''));
    start = endOfString(json, open);
    parts.push(json.slice(open, start));
  }
  return parts.join('');
}

/** Offset after the string that opens at `open`. */
function endOfString(json: string, open: number): number {
  let offset = open + 1;
  while (offset < json.length && json[offset] !== '"') offset += json[offset] === '\\' ? 2 : 1;
  return offset + 1;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
