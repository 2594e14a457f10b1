import { getSystemErrorMap } from 'node:util';

/** Whether the system has refused something, as opposed to a fault of ours. */
export function isSystemError(error: unknown): error is Error & { readonly errno: number } {
  return error instanceof Error && 'errno' in error && typeof error.errno === 'number';
}

/** Whether the process, or all of them together, may open no more files. */
export function areTooManyFilesOpen(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EMFILE' || code === 'ENFILE';
}

/** Why the system has refused something, in its words, without the path. */
export function systemReason(error: Error & { readonly errno: number }): string {
  return getSystemErrorMap().get(error.errno)?.[1] ?? error.message;
}
