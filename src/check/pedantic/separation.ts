/** Where the vertices below another one are in the order of the search, and the lowest number of a vertex that they lead to. */
interface Branch {
  readonly first: number;
  low: number;
}

interface Visit {
  readonly vertex: number;
  readonly branch: Branch;
  /** How many of the neighbours have been visited. */
  next: number;
}

/**
 * Which vertices of an undirected graph are separated from vertex 0 by a single other vertex, in one search for all questions.
 * Source: Hopcroft, Tarjan, Algorithm 447: efficient algorithms for graph manipulation, Communications of the ACM 16, 1973.
 */
export class Separation {
  /** The order in which vertices are met; undefined where vertex 0 is not connected to them. */
  readonly #numbers: (number | undefined)[];
  /** Of each vertex that has been met, the number of the last one below it in the tree of the search. */
  readonly #last: number[] = [];
  /** What the search has found through each vertex, in the order of their numbers. */
  readonly #branches: Branch[][] = [];

  /** `neighbours`: those of each vertex, in both directions. */
  constructor(neighbours: readonly (readonly number[])[]) {
    this.#numbers = neighbours.map(() => undefined);
    let met = 0;
    const enter = (vertex: number): Visit => {
      const branch: Branch = { first: met, low: met };
      this.#numbers[vertex] = met++;
      this.#branches[vertex] = [];
      return { vertex, branch, next: 0 };
    };
    const path = [enter(0)];
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const { vertex, branch } = visit;
      if (visit.next < neighbours[vertex].length) {
        const neighbour = neighbours[vertex][visit.next++];
        const number = this.#numbers[neighbour];
        if (number === undefined) path.push(enter(neighbour));
        else branch.low = Math.min(branch.low, number);
        continue;
      }
      path.pop();
      this.#last[vertex] = met - 1;
      const parent = path.at(-1);
      if (parent === undefined) continue;
      parent.branch.low = Math.min(parent.branch.low, branch.low);
      this.#branches[parent.vertex].push(branch);
    }
  }

  /** Whether a path leads from a vertex to vertex 0 that does not go through another vertex. */
  isConnected(vertex: number, except: number): boolean {
    const number = this.#numbers[vertex];
    const separator = this.#numbers[except];
    if (number === undefined) return false;
    if (separator === undefined || number < separator || number > this.#last[except]) return true;
    const branches = this.#branches[except];
    let [from, to] = [0, branches.length];
    while (to - from > 1) {
      const middle = (from + to) >>> 1;
      if (branches[middle].first <= number) from = middle;
      else to = middle;
    }
    return branches[from].low < separator;
  }
}
