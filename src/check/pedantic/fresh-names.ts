/** Names for anonymous values, counted by depth: a name is free again where its scope ends. */
export class FreshNames {
  #depth = 0;

  /** Runs `inner` with a name that nothing else in scope has. */
  within<T>(inner: (name: string) => T): T {
    this.#depth++;
    const result = inner(`sym${this.#depth}__`);
    this.#depth--;
    return result;
  }
}
