import type { Local } from '../ir/nodes.js';

type Change = Local | { readonly listed: Set<Local>; readonly isComplement: boolean };

/**
 * A set of a program's locals whose changes can be reverted. A set of nearly all locals is cheap: it lists either its members or the locals
 * that it lacks.
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

  /** Adds the members of another set over the same program. */
  addAll(other: LocalSet): void {
    if (!other.#isComplement) {
      for (const local of other.#listed) this.add(local);
    } else if (this.#isComplement) {
      for (const local of [...this.#listed]) if (other.has(local)) this.#toggle(local);
    } else {
      const lacking = new Set([...other.#listed].filter((local) => !this.has(local)));
      this.#become(lacking, true);
    }
  }

  /** The number of changes so far: the argument with which `undo` returns to this state. */
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
