import { LoadError } from 'leapfrog';
import { t } from './words/messages.js';

/** The message of an error, as a part of a sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof LoadError) return t('files.partMissing');
  return error instanceof Error ? error.message : String(error);
}

/** The first diagnostic without the lines of the program, or the message of an error. */
export function programReasonOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'diagnostics' in error && Array.isArray(error.diagnostics)) {
    const [first]: readonly { readonly line: number; readonly message: string }[] = error.diagnostics;
    if (first !== undefined) return t('plots.lineOf', first);
  }
  return reasonOf(error);
}
