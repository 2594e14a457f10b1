/** Numbers of the vertices below another one in the search tree, and the lowest number of a vertex that they are connected to. */
interface Branch {
  readonly first: number;
  low: number;
}

interface Visit {
  readonly vertex: number;
  readonly branch: Branch;
  /** Number of neighbors that have been visited. */
  next: number;
}

/**
 * Finds the vertices of an undirected graph that a single other vertex separates from vertex 0. One search answers all queries.
 * Source: Hopcroft, Tarjan, Algorithm 447: efficient algorithms for graph manipulation, Communications of the ACM 16, 1973.
 */
export class Separation {
  /** The order in which vertices are visited; undefined for vertices that are not connected to vertex 0. */
  readonly #numbers: (number | undefined)[];
  /** For each visited vertex, the number of the last vertex below it in the search tree. */
  readonly #last: number[] = [];
  /** The branches below each vertex in the search tree, in the order of their numbers. */
  readonly #branches: Branch[][] = [];

  /** `neighbors`: the adjacent vertices of each vertex, listed for both ends of an edge. */
  constructor(neighbors: readonly (readonly number[])[]) {
    this.#numbers = neighbors.map(() => undefined);
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
      if (visit.next < neighbors[vertex].length) {
        const neighbor = neighbors[vertex][visit.next++];
        const number = this.#numbers[neighbor];
        if (number === undefined) path.push(enter(neighbor));
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

  /** Whether a path from a vertex to vertex 0 avoids another vertex. */
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
