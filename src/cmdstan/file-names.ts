/** Names of files, as CmdStan derives them from given names. */
import { Failure } from './failure.js';

/** A path without the suffix, and the suffix with its dot; a dot at either end of a name or beside another begins none. */
export function splitSuffix(path: string): { readonly base: string; readonly suffix: string } {
  const match = /^(.*[^./])(\.[^./]+)$/s.exec(path);
  return match === null ? { base: path, suffix: '' } : { base: match[1], suffix: match[2] };
}

/** The comma-separated names of several chains' files; undefined if a single name serves all. */
export function listedFiles(path: string, ids: readonly number[]): readonly string[] | undefined {
  if (ids.length === 1 || !path.includes(',')) return undefined;
  const names = path.split(',');
  if (names.length === ids.length) return names;
  throw new Failure(`${names.length} file names were given for ${ids.length} chains: ${path}`);
}

/** The name of each chain's file: as listed, or otherwise with the chain's id if there are several. CSV files keep the given suffix. */
export function fileNames(path: string, tag: string, type: '.csv' | '.json' | '.R', ids: readonly number[]): string[] {
  const listed = listedFiles(path, ids);
  if (listed !== undefined) return listed.flatMap((name, index) => fileNames(name, tag, type, [ids[index]]));
  const { base, suffix } = splitSuffix(path);
  const ending = type === '.csv' && suffix !== '' ? suffix : type;
  return ids.map((id) => `${base}${tag}${ids.length === 1 ? '' : `_${id}`}${ending}`);
}

/** Throws for an impossible file name. */
export function checkOutputName(path: string): void {
  if (/\/$|\.\.$|\/\.$/.test(path)) throw new Failure(`Ill-formed output filename ${path}\n`);
}
