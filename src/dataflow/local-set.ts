import type { Local } from '../ir/nodes.js';

type Change = Local | { readonly listed: Set<Local>; readonly isComplement: boolean };

/**
 * A set of locals out of all those of a program that takes its changes back, and for which it costs nothing to hold nearly all
 * of them: it lists either what it holds or what it lacks.
 */
export class LocalSet {
  readonly #all: ReadonlySet<Local>;
  readonly #changes: Change[] = [];
  #listed = new Set<Local>();
  #isComplement = false;

  constructor(all: ReadonlySet<Local>) {
    this.#all = all;
  }

  has(local: Local): boolean {
    return this.#isComplement ? this.#all.has(local) && !this.#listed.has(local) : this.#listed.has(local);
  }

  add(local: Local): void {
    if (!this.has(local)) this.#toggle(local);
  }

  delete(local: Local): void {
    if (this.has(local)) this.#toggle(local);
  }

  addEverything(): void {
    this.#become(new Set(), true);
  }

  /** Adds what another set over the same program holds, but for one local. */
  addAll(other: LocalSet, except: Local | null = null): void {
    if (!other.#isComplement) {
      for (const local of other.#listed) if (local !== except) this.add(local);
    } else if (this.#isComplement) {
      for (const local of [...this.#listed]) if (local !== except && other.has(local)) this.#toggle(local);
    } else {
      const lacking = new Set([...other.#listed].filter((local) => !this.has(local)));
      if (except !== null && this.#all.has(except) && !this.has(except)) lacking.add(except);
      this.#become(lacking, true);
    }
  }

  /** How many changes there were: the argument of `undo` to come back to here. */
  get changes(): number {
    return this.#changes.length;
  }

  /** Reverts all but the first `changes` changes. */
  undo(changes: number): void {
    for (const change of this.#changes.splice(changes).reverse()) {
      if ('listed' in change) {
        this.#listed = change.listed;
        this.#isComplement = change.isComplement;
      } else if (!this.#listed.delete(change)) this.#listed.add(change);
    }
  }

  #toggle(local: Local): void {
    if (!this.#listed.delete(local)) this.#listed.add(local);
    this.#changes.push(local);
  }

  #become(listed: Set<Local>, isComplement: boolean): void {
    this.#changes.push({ listed: this.#listed, isComplement: this.#isComplement });
    this.#listed = listed;
    this.#isComplement = isComplement;
  }
}
