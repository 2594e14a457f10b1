import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';

/** Whether the operating system has returned this error. */
export function isSystemError(error: unknown): error is Error & { readonly errno: number } {
  return error instanceof Error && 'errno' in error && typeof error.errno === 'number';
}

/** Causes for which the operating system does not store or read a file. */
export const STORAGE_FAULTS = [
  'disk full',
  'quota exceeded',
  'file too large',
  'read-only file system',
  'input/output error',
  'too many open files',
  'permission denied',
] as const;
export type StorageFault = (typeof STORAGE_FAULTS)[number];

const FAULTS: ReadonlyMap<unknown, StorageFault> = new Map([
  ['ENOSPC', 'disk full'],
  ['EFBIG', 'file too large'],
  ['EROFS', 'read-only file system'],
  ['EIO', 'input/output error'],
  ['EMFILE', 'too many open files'],
  ['ENFILE', 'too many open files'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
]);

/** The cause of a failed operation on a file; undefined for other errors. */
export function storageFaultOf(error: unknown): StorageFault | undefined {
  if (!isSystemError(error)) return undefined;
  if (isOverQuota(error)) return 'quota exceeded';
  return 'code' in error ? FAULTS.get(error.code) : undefined;
}

/** Node has no name for this error. */
function isOverQuota({ errno }: { readonly errno: number }): boolean {
  return errno === -constants.errno.EDQUOT;
}

/** The operating system's description of an error, without the path. */
export function systemReason(error: Error & { readonly errno: number }): string {
  if (isOverQuota(error)) return 'disk quota exceeded';
  return getSystemErrorMap().get(error.errno)?.[1] ?? error.message;
}
