/** A variable of the data block. */
export interface DataVariable {
  readonly name: string;
  /** The declaration without the name: `vector[N]`. */
  readonly type: string;
  readonly json: string;
  /** A comment; empty if the name suffices. */
  readonly note: string;
}

/** Number of levels that a comment lists. */
const MOST_LISTED = 10;

/** What codes from 1 stand for; empty if the labels are these numbers. */
export function codesNote(labels: readonly string[]): string {
  if (labels.every((label, place) => label === `${place + 1}`)) return '';
  const listed = labels.slice(0, MOST_LISTED).map((label, place) => `${place + 1} = ${label}`);
  return [...listed, ...(labels.length > MOST_LISTED ? ['…'] : [])].join(', ');
}
