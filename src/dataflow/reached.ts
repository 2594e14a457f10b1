/** A node whose strongly connected component is not complete. */
interface Visit<Node> {
  readonly node: Node;
  readonly number: number;
  lowest: number;
  reached: ReadonlySet<Node>;
}

/**
 * Which of the marked nodes of a graph each node reaches, with itself; computed on demand, once per node.
 * Source: Tarjan, Depth-first search and linear graph algorithms, SIAM Journal on Computing 1, 1972.
 */
export class Reached<Node> {
  readonly #successors: (node: Node) => Iterable<Node>;
  readonly #isMarked: (node: Node) => boolean;
  readonly #known = new Map<Node, ReadonlySet<Node>>();
  readonly #open = new Map<Node, Visit<Node>>();
  readonly #stack: Visit<Node>[] = [];

  constructor(successors: (node: Node) => Iterable<Node>, isMarked: (node: Node) => boolean) {
    this.#successors = successors;
    this.#isMarked = isMarked;
  }

  from(node: Node): ReadonlySet<Node> {
    return this.#known.get(node) ?? this.#visit(node).reached;
  }

  /** What any of the nodes reaches. */
  union(nodes: Iterable<Node>): ReadonlySet<Node> {
    let all: ReadonlySet<Node> = new Set();
    for (const node of nodes) all = union(all, this.from(node));
    return all;
  }

  #visit(node: Node): Visit<Node> {
    const number = this.#open.size;
    const visit: Visit<Node> = {
      node,
      number,
      lowest: number,
      reached: this.#isMarked(node) ? new Set([node]) : new Set(),
    };
    this.#open.set(node, visit);
    this.#stack.push(visit);
    for (const next of this.#successors(node)) {
      const known = this.#known.get(next);
      if (known !== undefined) visit.reached = union(visit.reached, known);
      else {
        const other = this.#open.get(next) ?? this.#visit(next);
        visit.reached = union(visit.reached, other.reached);
        if (this.#open.has(next)) visit.lowest = Math.min(visit.lowest, other.lowest);
      }
    }
    if (visit.lowest === number) {
      // All nodes of a component reach the same.
      const component = this.#stack.splice(number);
      visit.reached = component.reduce((all, { reached }) => union(all, reached), visit.reached);
      for (const member of component) {
        this.#open.delete(member.node);
        this.#known.set(member.node, visit.reached);
      }
    }
    return visit;
  }
}

/** Reuses one of the sets if it has all of the other, as most do. */
function union<Node>(a: ReadonlySet<Node>, b: ReadonlySet<Node>): ReadonlySet<Node> {
  if (a === b || b.size === 0) return a;
  if (a.size === 0) return b;
  const lacking = [...b].filter((node) => !a.has(node));
  if (lacking.length === 0) return a;
  return a.size + lacking.length === b.size ? b : new Set([...a, ...lacking]);
}
