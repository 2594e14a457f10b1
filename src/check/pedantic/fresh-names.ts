/** Names for anonymous values, numbered by depth. A name is free again after its scope. */
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
