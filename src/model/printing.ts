/** The text that a program prints, limited in all. */

/** Maximum characters of one printed text. */
export const LONGEST_PRINTED = 2 ** 20;
/** Maximum characters of the text of a rejection or an error. */
export const LONGEST_FAILURE = 2 ** 16;
/** Maximum characters that the host receives from one instance. */
const MOST_PRINTED = 2 ** 24;
/** Characters as which a shorter text counts, because every text takes memory. */
const LEAST_COUNTED = 32;

/** Passes printed text to the host, either immediately or when the evaluation that printed it is complete. */
export class Printing {
  /** Number of texts that were omitted because of the limit. */
  omitted = 0;
  private readonly print: (text: string) => void;
  /** Text of an evaluation that may be repeated. */
  private held: { readonly text: string; readonly once: boolean }[] = [];
  /** Characters that have been passed on or are held. */
  private size = 0;
  private heldSize = 0;
  private heldOmitted = 0;
  /** Whether text with `once` has been shown. */
  private hasShownOnce = false;

  constructor(print: (text: string) => void) {
    this.print = print;
  }

  /** Whether further text is omitted, so that rendering it is unnecessary. */
  get isFull(): boolean {
    return this.size >= MOST_PRINTED;
  }

  /** Counts a text that was not rendered. */
  omit(isHeld: boolean): void {
    if (isHeld) this.heldOmitted += 1;
    else this.countOmitted(1);
  }

  /** Shows a text immediately. */
  show(text: string, once: boolean): void {
    this.size += countedSize(text);
    this.pass(text, once);
  }

  /** Holds a text until `release` or `discard`. */
  hold(text: string, once: boolean): void {
    const size = countedSize(text);
    this.size += size;
    this.heldSize += size;
    this.held.push({ text, once });
  }

  /** Shows the texts that are held. */
  release(): void {
    if (this.held.length === 0 && this.heldOmitted === 0) return;
    const { held, heldOmitted } = this;
    this.held = [];
    this.heldSize = 0;
    this.heldOmitted = 0;
    for (const { text, once } of held) this.pass(text, once);
    if (heldOmitted > 0) this.countOmitted(heldOmitted);
  }

  /** Discards the texts that are held, because the evaluation will be repeated. */
  discard(): void {
    this.size -= this.heldSize;
    this.held = [];
    this.heldSize = 0;
    this.heldOmitted = 0;
  }

  private countOmitted(count: number): void {
    if (this.omitted === 0) {
      this.print(`Further printed text is omitted: a model prints at most ${MOST_PRINTED / 2 ** 20} MiB.\n`);
    }
    this.omitted += count;
  }

  private pass(text: string, once: boolean): void {
    if (once && this.hasShownOnce) return;
    this.hasShownOnce ||= once;
    this.print(text);
  }
}

function countedSize(text: string): number {
  return Math.max(text.length, LEAST_COUNTED);
}
