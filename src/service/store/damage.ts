import { basename, dirname, sep } from 'node:path';
import type { DamagedFile, Flaw } from '../../fit-files/checksums.js';
import { fitNameOf } from './fit-folders.js';
import { isIdentifier } from './identifiers.js';
import { operationOf, UNFINISHED_FOLDER } from './own-files.js';

/** The resource that a damaged file belongs to, what is wrong, and how to repair it. */
export interface Damage {
  readonly what: string;
  readonly flaw: string;
  readonly remedy: string;
}

const FLAW_TEXTS: Readonly<Record<Flaw, string>> = {
  checksum: 'failed its checksum and was not used',
  missing: 'is missing',
  type: 'is not a file',
  permission: "may not be read by the server's user",
  foreign: 'belongs to another resource and was not used',
};

const MAKE_AGAIN = 'repeat the request with the same seed to compute the same draws again, or DELETE the fit';

/** Describes a damaged file of the store, or a damaged value, whose path is its key. */
export function describeDamage({ flaw, path }: Pick<DamagedFile, 'path' | 'flaw'>): Damage {
  return { ...describeFile(path), flaw: FLAW_TEXTS[flaw] };
}

function describeFile(path: string): Omit<Damage, 'flaw'> {
  const file = basename(path);
  const fit = fitNameOf(basename(dirname(path), UNFINISHED_FOLDER));
  if (fit !== undefined) return { what: `the file ${file} of the fit ${fit}`, remedy: MAKE_AGAIN };
  const [id, models] = dirname(path).split(sep).reverse();
  if (models === 'models') {
    const remedy = 'POST /v1/models with the same program repairs the model';
    return { what: `the file ${file} of the model models/${id}`, remedy };
  }
  const operation = operationOf(file) ?? (isIdentifier(file) ? file : undefined);
  if (operation !== undefined) {
    return { what: `the record of the operation operations/${operation}`, remedy: 'start it again' };
  }
  const recorded = fitNameOf(file);
  if (recorded !== undefined) return { what: `the record of the fit ${recorded}`, remedy: MAKE_AGAIN };
  return { what: `the value ${file}`, remedy: 'repeat the request to create it again' };
}
