/** A vertex whose successors are being visited. */
interface Frame<V, P> {
  readonly vertex: V;
  readonly successors: readonly V[];
  readonly number: number;
  /** How many of the successors have been visited. */
  next: number;
  /** The lowest number of a vertex that is known to be reached from here and to reach this one. */
  low: number;
  value: P;
}

/**
 * The join of a property over everything that a vertex of a graph reaches, itself too. Vertices that reach one another have the same answer, and
 * each edge is followed once for all questions.
 * Source: Tarjan, Depth-first search and linear graph algorithms, SIAM Journal on Computing 1, 1972.
 */
export class Reached<V, P> {
  readonly #known = new Map<V, { readonly value: P }>();
  readonly #successors: (vertex: V) => readonly V[];
  readonly #own: (vertex: V) => P;
  readonly #join: (a: P, b: P) => P;

  /** `join` is associative, commutative and idempotent. */
  constructor(successors: (vertex: V) => readonly V[], own: (vertex: V) => P, join: (a: P, b: P) => P) {
    this.#successors = successors;
    this.#own = own;
    this.#join = join;
  }

  from(start: V): P {
    const known = this.#known.get(start);
    if (known !== undefined) return known.value;
    const entered = new Map<V, Frame<V, P>>();
    /** Entered vertices without an answer, in the order in which they were entered. */
    const open: Frame<V, P>[] = [];
    const path: Frame<V, P>[] = [];
    const enter = (vertex: V): Frame<V, P> => {
      const number = entered.size;
      const frame = {
        vertex,
        successors: this.#successors(vertex),
        number,
        next: 0,
        low: number,
        value: this.#own(vertex),
      };
      entered.set(vertex, frame);
      open.push(frame);
      path.push(frame);
      return frame;
    };
    const first = enter(start);
    for (let frame: Frame<V, P> | undefined = first; frame !== undefined; frame = path.at(-1)) {
      if (frame.next < frame.successors.length) {
        const successor = frame.successors[frame.next++];
        const done = this.#known.get(successor);
        const met = entered.get(successor);
        if (done !== undefined) frame.value = this.#join(frame.value, done.value);
        else if (met !== undefined) frame.low = Math.min(frame.low, met.number);
        else enter(successor);
        continue;
      }
      path.pop();
      if (frame.low === frame.number) this.#close(open, frame);
      const before = path.at(-1);
      if (before === undefined) continue;
      before.low = Math.min(before.low, frame.low);
      before.value = this.#join(before.value, frame.value);
    }
    return first.value;
  }

  /** Gives the vertices that were entered since the frame's own, which reach one another, their answer. */
  #close(open: Frame<V, P>[], { vertex, value }: Frame<V, P>): void {
    for (let member = open.pop(); member !== undefined; member = open.pop()) {
      this.#known.set(member.vertex, { value });
      if (member.vertex === vertex) return;
    }
  }
}
