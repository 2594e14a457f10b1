/** Data and initial values from files, and errors for missing data. */

import { DumpSyntaxError, jsonOfDump } from '../../formats/r-dump.js';
import { JsonSyntaxError, parseStanData, parseStanJson } from '../../formats/stan-json.js';
import { readText } from '../../node/input-files.js';
import { enumeration } from '../../requests/enumeration.js';
import { CommandError } from '../errors.js';

/** The JSON text of a file with values, JSON or an R dump (`.R`); `-` is standard input, which may be either. */
export function readValues(path: string): string {
  const isInput = path === '-';
  const name = isInput ? 'standard input' : path;
  const text = readText(isInput ? 0 : path, { name }).replace(/^\uFEFF/, '');
  const content = text.trim();
  if (/\.csv$/i.test(path)) {
    throw new CommandError(`error: ${path} is a CSV file, but data are JSON or an R dump (.R)`);
  }
  const isDump = isInput ? !content.startsWith('{') && content.includes('<-') : /\.(R|Rdump)$/i.test(path);
  try {
    if (isDump) return jsonOfDump(text);
    parseStanJson(text);
  } catch (error) {
    if (error instanceof DumpSyntaxError) throw new CommandError(`error: ${name} is not an R dump: ${error.message}`);
    if (error instanceof JsonSyntaxError) throw new CommandError(`error: ${name} is not JSON: ${error.message}`);
    throw error;
  }
  if (!content.startsWith('{'))
    throw new CommandError(`error: ${name} must contain a JSON object with one member per variable`);
  return content;
}

/** The part of a compiled program that describes its data. */
interface DeclaredData {
  readonly data: readonly {
    readonly name: string;
    readonly declaredAt: {
      readonly begin: { readonly file: string; readonly line: number; readonly column: number } | null;
    };
  }[];
}

/**
 * The error for data without a value for some variables, with the locations of their declarations and a remedy.
 * `artifact` and `data` are JSON texts.
 */
export function missingDataText(artifact: string, data: string, file: string | undefined): string {
  const { data: declared }: DeclaredData = JSON.parse(artifact);
  const given = parseStanData(data);
  const lacking = new Map<string, string>();
  for (const { name, declaredAt } of declared) {
    const [variable] = name.split('.', 1);
    const { begin } = declaredAt;
    if (variable in given) continue;
    lacking.set(variable, begin === null ? '' : ` (declared in ${begin.file}:${begin.line}:${begin.column + 1})`);
  }
  const names = enumeration([...lacking].map(([name, place]) => `${name}${place}`));
  return file === undefined
    ? `error: the program needs data for ${names}: pass them with --data FILE, as JSON or an R dump`
    : `error: ${file} has no value for ${names}`;
}
