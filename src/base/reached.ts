/** A vertex whose successors are being visited. */
interface Frame<V, P> {
  readonly vertex: V;
  readonly successors: readonly V[];
  readonly number: number;
  /** Number of successors that have been visited. */
  next: number;
  /** The low-link: the lowest number of a vertex that is known to be reachable from this one and to reach it. */
  low: number;
  value: P;
}

/**
 * The join of a property over all vertices that are reachable from a vertex, including itself. Vertices of a strongly connected component share the
 * result, and all queries together visit each edge once.
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
    /** Visited vertices without a result, in the order of their first visit. */
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

  /** Sets the result of the strongly connected component of the frame's vertex: all vertices entered since. */
  #close(open: Frame<V, P>[], { vertex, value }: Frame<V, P>): void {
    for (let member = open.pop(); member !== undefined; member = open.pop()) {
      this.#known.set(member.vertex, { value });
      if (member.vertex === vertex) return;
    }
  }
}
