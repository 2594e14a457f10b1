import { isVariableName } from '../derive/data-block.js';

/** Distinct names of Stan variables. */
export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** The first of the names that is free; if none is, the first with a number. */
  free(...names: readonly [string, ...string[]]): string {
    let name = names.find((each) => this.#isFree(each));
    for (let k = 2; name === undefined; k++) if (this.#isFree(`${names[0]}_${k}`)) name = `${names[0]}_${k}`;
    this.#taken.add(name);
    return name;
  }

  #isFree(name: string): boolean {
    return isVariableName(name) && !this.#taken.has(name);
  }
}
