import { basename, dirname, sep } from 'node:path';
import { fitNameOf } from './fit-folders.js';

/** What a damaged file is of, and what makes it good. */
export interface Damage {
  readonly what: string;
  readonly remedy: string;
}

/** Tells of a damaged file of the store by its path. */
export function describeDamage(path: string): Damage {
  const file = basename(path);
  const fit = fitNameOf(basename(dirname(path)));
  if (fit !== undefined) {
    const remedy = 'the same request with the same seed makes the same draws again, and DELETE removes the fit';
    return { what: `the file ${file} of the fit ${fit}`, remedy };
  }
  const [id, models] = dirname(path).split(sep).reverse();
  if (models === 'models') {
    const remedy = 'POST /v1/models with the same program repairs the model';
    return { what: `the file ${file} of the model models/${id}`, remedy };
  }
  const operation = file.replace(/\.json$/, '');
  return { what: `the record of the operation operations/${operation}`, remedy: 'start it again' };
}
