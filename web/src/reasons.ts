import { LoadError } from 'leapfrog';

/** The message of an error, as a part of a sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof LoadError)
    return 'A part of this page cannot be loaded. Reload the page: its files may have been replaced, or the network may be unavailable.';
  return error instanceof Error ? error.message : String(error);
}
