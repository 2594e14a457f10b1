import { type Analysis, type FlowNode, flowOf, solve } from './flow.js';
import { namesIn, readBy, type Step } from './outline.js';

/** Where the value that a variable has may come from: the nodes that declare or assign it. */
type Definitions = ReadonlyMap<string, ReadonlySet<number>>;

/** What each node of a flow depends on: nodes that decide whether it runs or give it values, and what these depend on. */
export class Dependencies {
  readonly nodes: readonly FlowNode[];
  readonly #definitions: readonly Definitions[];
  readonly #reads: readonly ReadonlySet<string>[];

  constructor(root: Step) {
    this.nodes = flowOf(root);
    this.#definitions = solve(this.nodes, reachingDefinitions);
    this.#reads = this.nodes.map(
      ({ step }) =>
        new Set(
          readBy(step)
            .flatMap(namesIn)
            .map(({ name }) => name),
        ),
    );
  }

  /** The variables that a node itself reads. */
  readsOf(index: number): ReadonlySet<string> {
    return this.#reads[index];
  }

  /** A node and everything it depends on. */
  of(index: number): ReadonlySet<number> {
    return this.#follow([index]);
  }

  /** What the values of variables at a node depend on, and whether the node runs. `known` variables come from nowhere. */
  ofNames(index: number, names: Iterable<string>, known: ReadonlySet<string> = new Set()): ReadonlySet<number> {
    const first = [...this.nodes[index].parents, ...this.#origins(index, names, known)].sort((a, b) => a - b);
    const visited = new Set<number>();
    for (const start of first) {
      if (visited.has(start)) continue;
      visited.add(start);
      const next = [...this.nodes[start].parents, ...this.#origins(start, this.#reads[start], known)];
      this.#follow(next, visited);
    }
    return visited;
  }

  /** The variables read by any of some nodes. */
  readsOfAll(indices: Iterable<number>): ReadonlySet<string> {
    return new Set([...indices].flatMap((index) => [...this.#reads[index]]));
  }

  #follow(from: readonly number[], visited = new Set<number>()): ReadonlySet<number> {
    const waiting = [...from];
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (visited.has(index)) continue;
      visited.add(index);
      waiting.push(...this.nodes[index].parents, ...this.#origins(index, this.#reads[index]));
    }
    return visited;
  }

  #origins(index: number, names: Iterable<string>, known: ReadonlySet<string> = new Set()): number[] {
    const definitions = this.#definitions[index];
    return [...names].flatMap((name) => (known.has(name) ? [] : [...(definitions.get(name) ?? [])]));
  }
}

const reachingDefinitions: Analysis<Definitions> = {
  start: new Map(),
  bottom: new Map(),
  after({ index, step }, before) {
    switch (step.kind) {
      case 'declare':
      case 'for':
        return new Map(before).set(step.name, new Set([index]));
      case 'assignment':
        return new Map(before).set(
          step.name,
          new Set(step.isWhole ? [index] : [...(before.get(step.name) ?? []), index]),
        );
      default:
        return before;
    }
  },
  join(a, b) {
    const joined = new Map(a);
    for (const [name, indices] of b) joined.set(name, new Set([...(a.get(name) ?? []), ...indices]));
    return joined;
  },
  isWithin: (a, b) =>
    a === b ||
    [...a].every(([name, indices]) => {
      const known = b.get(name);
      return known === indices || (known !== undefined && [...indices].every((index) => known.has(index)));
    }),
};
