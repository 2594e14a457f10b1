/** What belongs to a fit in NATS: its keys, its objects, and the values that describe them. */
import { Type } from 'typebox';
import type { FitHead } from './known-fits.js';
import { readerOf } from './messages.js';

/** Files of a chain, of which each process that runs it makes its own: `mark` tells them apart. */
const Files = Type.Array(Type.Object({ name: Type.String(), mark: Type.String(), bytes: Type.Integer() }));
/** Reads what is kept of a chain. */
export const readFiles = readerOf(Files);
export type FitFiles = NonNullable<ReturnType<typeof readFiles>>;
type FitFile = FitFiles[number];

/** Reads what a fit consists of. */
export const readContents = readerOf(Type.Object({ record: Type.String(), files: Files }));
export type FitContents = NonNullable<ReturnType<typeof readContents>>;

/** Files of a chain that are part of a fit, with its number. Names that come out of NATS must be such ones. */
export const FIT_FILE = /^chain-(\d+)\.(?:json|state|messages|draws\.arrow|diagnostics\.arrow)$/;

export function keyOf(modelId: string, fitId: string): string {
  return `${modelId}.${fitId}`;
}

/** The key of the files of a chain that has been kept. */
export function keptKey(modelId: string, fitId: string, chain: number): string {
  return `${modelId}.${fitId}.${chain}`;
}

export function contentsKey(modelId: string, fitId: string, { mark }: Pick<FitHead, 'mark'>): string {
  return `${modelId}.${fitId}.${mark}`;
}

/** Begins the names of files of fits; the model, the fit, the mark and the file's name follow. */
export const FIT_OBJECT = 'fit';

export function objectName(modelId: string, fitId: string, { name, mark }: FitFile): string {
  return `${FIT_OBJECT}.${modelId}.${fitId}.${mark}.${name}`;
}
