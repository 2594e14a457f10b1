/** Keys and objects of a fit in NATS, and the values that describe them. */
import { Type } from 'typebox';
import type { FitHead } from './known-fits.js';
import { readerOf } from './messages.js';

/**
 * Objects with the files of chains. Each process that runs a chain writes its own, distinguished by `mark`. With
 * `block`, they contain the files after this block of iterations. `parts` are the files that an object contains, one
 * after the other; without them, it is one file.
 */
const Files = Type.Array(
  Type.Object({
    name: Type.String(),
    mark: Type.String(),
    bytes: Type.Integer(),
    block: Type.Optional(Type.Integer({ minimum: 0 })),
    parts: Type.Optional(Type.Array(Type.Object({ name: Type.String(), bytes: Type.Integer({ minimum: 0 }) }))),
  }),
);
/** Parses the list of a chain's files. */
export const readFiles = readerOf(Files);
export type FitFiles = NonNullable<ReturnType<typeof readFiles>>;
export type FitFile = FitFiles[number];

/** Parses the contents of a fit. */
export const readContents = readerOf(Type.Object({ record: Type.String(), files: Files }));
export type FitContents = NonNullable<ReturnType<typeof readContents>>;

/** Names of a chain's files, with its number. Names from NATS must match this. */
export const FIT_FILE = /^chain-(\d+)\.(?:json|state|messages|draws\.arrow|diagnostics\.arrow)$/;

/** Name of the object with all files of a chain. */
export function bundleName(chain: number): string {
  return `chain-${chain}.files`;
}

/** The files in an object, in order. */
export function partsOf(file: FitFile): readonly Pick<FitFile, 'name' | 'bytes'>[] {
  return file.parts ?? [file];
}

/** The chain of a file or an object with this name; undefined for other names. */
export function chainOf(name: string): number | undefined {
  const chain = /^chain-(\d+)\.[a-z.]+$/.exec(name)?.[1];
  return chain === undefined ? undefined : Number(chain);
}

export function keyOf(modelId: string, fitId: string): string {
  return `${modelId}.${fitId}`;
}

/** Key of the files of a finished chain. */
export function keptKey(modelId: string, fitId: string, chain: number): string {
  return `${modelId}.${fitId}.${chain}`;
}

export function contentsKey(modelId: string, fitId: string, { mark }: Pick<FitHead, 'mark'>): string {
  return `${modelId}.${fitId}.${mark}`;
}

/** First word of the names of fits' files; followed by the model, the fit, the mark and the file's name. */
export const FIT_OBJECT = 'fit';

export function objectName(modelId: string, fitId: string, { name, mark }: FitFile): string {
  return `${FIT_OBJECT}.${modelId}.${fitId}.${mark}.${name}`;
}
