/** A function that is less accurate than the others. `docs/differences.md` has the same table; a test holds both in step. */
export interface Known {
  readonly function: string;
  /** The relative error that its values, and its derivatives, keep within. */
  readonly value?: number;
  readonly derivatives?: number;
  readonly reason: string;
}

export const KNOWN: readonly Known[] = [];
