/** Names of files as CmdStan makes them of those that it is given. */
import { Failure } from './failure.js';

/** A path without the suffix, and the suffix with its dot; a dot at either end of a name or beside another begins none. */
export function splitSuffix(path: string): { readonly base: string; readonly suffix: string } {
  const match = /^(.*[^./])(\.[^./]+)$/s.exec(path);
  return match === null ? { base: path, suffix: '' } : { base: match[1], suffix: match[2] };
}

/** The name of each chain's file: with the chain's id where there are several. CSV files keep the suffix that is given. */
export function fileNames(path: string, tag: string, type: '.csv' | '.json' | '.R', ids: readonly number[]): string[] {
  const { base, suffix } = splitSuffix(path);
  const ending = type === '.csv' && suffix !== '' ? suffix : type;
  return ids.map((id) => `${base}${tag}${ids.length === 1 ? '' : `_${id}`}${ending}`);
}

/** Throws for a name that no file can have. */
export function checkOutputName(path: string): void {
  if (/\/$|\.\.$|\/\.$/.test(path)) throw new Failure(`Ill-formed output filename ${path}\n`);
}
