import type { LoadError } from 'leapfrog';
import type { DiagnosticDetail } from '#engine/chain/compiler.js';
import { t } from './words/messages.js';

/** What browsers report if a file of the page does not exist any more. */
const NOT_IMPORTED = /dynamically imported module|importing a module script failed/i;

/** Whether a file that is loaded on demand is missing. The library's error is found by its name: its class would load the library with the page. */
function isMissingPart(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === ('LoadError' satisfies LoadError['name']) || NOT_IMPORTED.test(error.message);
}

/** The message of an error, as a part of a sentence. */
export function reasonOf(error: unknown): string {
  if (isMissingPart(error)) return t('files.partMissing');
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error whose cause is the whole program instead of a line. */
const OF_PROGRAM = 'no-likelihood';

/** The first diagnostic without the lines of the program, or the message of an error. */
export function programReasonOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'diagnostics' in error && Array.isArray(error.diagnostics)) {
    const [first]: readonly Pick<DiagnosticDetail, 'code' | 'line' | 'message'>[] = error.diagnostics;
    if (first !== undefined) return first.code === OF_PROGRAM ? first.message : t('plots.lineOf', first);
  }
  return reasonOf(error);
}
