/** What an error says, for a sentence that tells of it. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
