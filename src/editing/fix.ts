import type { Edit } from '../derive/program-text.js';

export interface Fix {
  /** The label of the fix's button, such as `Declare x as vector[N]`. */
  readonly title: string;
  /** All edits are in the same file. */
  readonly edits: readonly Edit[];
}
