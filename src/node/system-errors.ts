import { getSystemErrorMap } from 'node:util';

/** Whether the operating system has returned this error. */
export function isSystemError(error: unknown): error is Error & { readonly errno: number } {
  return error instanceof Error && 'errno' in error && typeof error.errno === 'number';
}

/** Whether the limit of open files, of the process or of the system, has been reached. */
export function areTooManyFilesOpen(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EMFILE' || code === 'ENFILE';
}

/** The operating system's description of an error, without the path. */
export function systemReason(error: Error & { readonly errno: number }): string {
  return getSystemErrorMap().get(error.errno)?.[1] ?? error.message;
}
