import { LoadError } from 'leapfrog';
import { t } from './words/messages.js';

/** The message of an error, as a part of a sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof LoadError) return t('files.partMissing');
  return error instanceof Error ? error.message : String(error);
}
