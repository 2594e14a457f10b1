/** Maximum length of a list that is faster to search than a set is to create. */
const FEW = 16;

/** A set of objects, implemented as a list as long as it is small. Most expressions have few nodes. */
export class SmallSet<Element> {
  readonly #few: Element[] = [];
  #many: Set<Element> | null = null;

  constructor(elements?: Iterable<Element>) {
    if (elements !== undefined) for (const element of elements) this.add(element);
  }

  /** Adds the element. Returns whether it is new. */
  add(element: Element): boolean {
    if (this.#many === null) {
      if (this.#few.includes(element)) return false;
      if (this.#few.length < FEW) {
        this.#few.push(element);
        return true;
      }
      this.#many = new Set(this.#few);
    }
    const before = this.#many.size;
    return this.#many.add(element).size > before;
  }
}

/** A map from objects, implemented as a list as long as it is small. */
export class SmallMap<Key, Value> {
  readonly #keys: Key[] = [];
  readonly #values: Value[] = [];
  #many: Map<Key, Value> | null = null;

  get(key: Key): Value | undefined {
    if (this.#many !== null) return this.#many.get(key);
    const place = this.#keys.indexOf(key);
    return place < 0 ? undefined : this.#values[place];
  }

  /** Adds a key, which must be new. */
  set(key: Key, value: Value): void {
    if (this.#many === null && this.#keys.length < FEW) {
      this.#keys.push(key);
      this.#values.push(value);
      return;
    }
    this.#many ??= new Map(this.#keys.map((known, k) => [known, this.#values[k]]));
    this.#many.set(key, value);
  }
}
