/** Names of the store's files and folders. The store never removes any other file. */

/** Suffix of a folder to which files are still being copied. */
export const UNFINISHED_FOLDER = '.tmp';

const RECORD = '(?:fit|model|includes)\\.json|program\\.stan';
const BLOCK = 'block-\\d+(?:-fetched)?';
const CHAIN = `(?:${BLOCK}/)?chain-\\d+\\.(?:json|state|messages|draws\\.arrow|diagnostics\\.arrow|journal)`;
const COMPILED = '(?:compiled/[^/]+/)?(?:artifact\\.json|module\\.wasm)';
const UUID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';
const MARK = '[\\da-f]{16}';
const UNFINISHED = `\\.${UUID}\\.tmp`;
const IDENTIFIER = '[a-z2-7]{24}';
const FIT = `(${IDENTIFIER})\\.(${IDENTIFIER})\\.(${MARK})(?:\\.(\\d{1,15}))?`;

const FILE = new RegExp(`^(?:${RECORD}|${CHAIN}|${COMPILED})(?:${UNFINISHED})?$`);
const FOLDER = new RegExp(`^(?:compiled(?:/[^/]+)?|${BLOCK})$`);
const TEMPORARY = new RegExp(`^(?:${UUID}|${FIT}(?:\\${UNFINISHED_FOLDER})?)$`);
const FIT_FOLDER = new RegExp(`^${FIT}$`);
/** First part of the names of files that are written only to find out whether this is possible. */
export const PROBE_BEGINNING = 'probe';
const UNFINISHED_FILE = new RegExp(`^(?:format|${PROBE_BEGINNING}|${IDENTIFIER}\\.json)${UNFINISHED}$`);
const OPERATION = new RegExp(`^(${IDENTIFIER})\\.json$`);

/** Whether this is the path, with `/`, of a file that the store writes in the folder of a model or fit. */
export function isOwnFile(path: string): boolean {
  return FILE.test(path);
}

/** Whether this is the path, with `/`, of a folder that the store creates in the folder of a model or fit. */
export function isOwnFolder(path: string): boolean {
  return FOLDER.test(path);
}

/** Whether the store uses this name for folders in `temporary/`. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/** Whether this is the name of an unfinished record. */
export function isUnfinishedName(name: string): boolean {
  return UNFINISHED_FILE.test(name);
}

/** The identifier of the operation whose record has this file name; undefined if it is not the name of a record. */
export function operationOf(name: string): string | undefined {
  return OPERATION.exec(name)?.[1];
}

/** Parts of the name of a fit's folder. */
export interface FitFolderName {
  readonly modelId: string;
  readonly id: string;
  /** Time at which the fit was started, in milliseconds since 1970, and four random digits. */
  readonly mark: string;
  /** Size of its files; absent for unfinished fits, and in earlier versions. */
  readonly bytes: number | undefined;
}

/** Parses the name of a fit's folder; undefined for any other name. */
export function parseFitFolder(name: string): FitFolderName | undefined {
  const match = FIT_FOLDER.exec(name);
  if (match === null) return undefined;
  const [, modelId, id, mark, bytes] = match;
  return { modelId, id, mark, bytes: bytes === undefined ? undefined : Number(bytes) };
}
