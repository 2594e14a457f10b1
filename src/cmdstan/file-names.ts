/** File names, derived from given names as in CmdStan. */
import { Failure } from './failure.js';

/**
 * A path without its suffix, and the suffix with its dot. A dot at either end of a name or next to another dot does not
 * start a suffix.
 */
export function splitSuffix(path: string): { readonly base: string; readonly suffix: string } {
  const match = /^(.*[^./])(\.[^./]+)$/s.exec(path);
  return match === null ? { base: path, suffix: '' } : { base: match[1], suffix: match[2] };
}

/** The comma-separated file names of several chains; undefined if the text is a single name for all. */
export function listedFiles(path: string, ids: readonly number[]): readonly string[] | undefined {
  if (ids.length === 1 || !path.includes(',')) return undefined;
  const names = path.split(',');
  if (names.length === ids.length) return names;
  throw new Failure(`${names.length} file names were given for ${ids.length} chains: ${path}`);
}

/**
 * The file name of each chain: as listed, or else the given name, with the chain's id if there are several chains. CSV
 * files keep the given suffix.
 */
export function fileNames(path: string, tag: string, type: '.csv' | '.json' | '.R', ids: readonly number[]): string[] {
  const listed = listedFiles(path, ids);
  if (listed !== undefined) return listed.flatMap((name, index) => fileNames(name, tag, type, [ids[index]]));
  const { base, suffix } = splitSuffix(path);
  const ending = type === '.csv' && suffix !== '' ? suffix : type;
  return ids.map((id) => `${base}${tag}${ids.length === 1 ? '' : `_${id}`}${ending}`);
}

/** Throws for an invalid file name. */
export function checkOutputName(path: string): void {
  if (/\/$|\.\.$|\/\.$/.test(path)) throw new Failure(`Ill-formed output filename ${path}\n`);
}
