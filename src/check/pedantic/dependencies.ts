import { type Analysis, type FlowNode, flowOf, solve } from './flow.js';
import { isPartOf, joined, keysOf, lookUp, type NameMap, Numbering, withValue } from './name-map.js';
import { namesIn, readBy, type Step } from './outline.js';

/** Where the values that variables have may come from: the nodes that declare or assign each. */
type Definitions = NameMap<Nodes>;

type Nodes = NameMap<true>;

/** What each node of a flow depends on: nodes that decide whether it runs or give it values, and what these depend on. */
export class Dependencies {
  readonly nodes: readonly FlowNode[];
  readonly #names = new Numbering();
  readonly #definitions: readonly Definitions[];
  readonly #reads: readonly ReadonlySet<string>[];

  constructor(root: Step) {
    this.nodes = flowOf(root);
    this.#definitions = solve(this.nodes, reachingDefinitions(this.#names));
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
    return [...names].flatMap((name) => (known.has(name) ? [] : keysOf(lookUp(definitions, this.#names.of(name)))));
  }
}

function reachingDefinitions(names: Numbering): Analysis<Definitions> {
  return {
    start: undefined,
    bottom: undefined,
    after({ index, step }, before) {
      switch (step.kind) {
        case 'declare':
        case 'for':
          return withValue(before, names.of(step.name), withValue<true>(undefined, index, true));
        case 'assignment': {
          const name = names.of(step.name);
          const earlier = step.isWhole ? undefined : lookUp(before, name);
          return withValue(before, name, withValue(earlier, index, true));
        }
        default:
          return before;
      }
    },
    join: (a, b) => joined(a, b, together),
    isWithin: (a, b) => isPartOf(a, b, (some, all) => isPartOf(some, all, () => true)),
  };
}

function together(a: Nodes, b: Nodes): Nodes {
  return joined(a, b, () => true);
}
