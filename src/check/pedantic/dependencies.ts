import { Reached } from '../../base/reached.js';
import { isPartOf, joined, keysOf, lookUp, Numbering, type SharedMap, withValue } from '../../base/shared-map.js';
import { type Effects, Loops } from './changes.js';
import { type Analysis, type FlowNode, flowOf, type Nodes, solve, together } from './flow.js';
import { namesIn, readBy, type Step } from './outline.js';

/** Possible origins of variables' values: the nodes that declare or assign each variable. */
type Definitions = SharedMap<Nodes>;

/** A node of the flow, or nodes that give one variable its values. */
type Source = number | Nodes;

/** The dependencies of each node of a flow: nodes that decide whether it runs or provide its values, and the dependencies of these. */
export class Dependencies {
  readonly nodes: readonly FlowNode[];
  readonly #names = new Numbering<string>();
  readonly #definitions: readonly Definitions[];
  readonly #reads: readonly (readonly string[])[];

  constructor(root: Step) {
    this.nodes = flowOf(root);
    this.#definitions = solve(this.nodes, reachingDefinitions(root, this.#names));
    this.#reads = this.nodes.map(({ step }) => [
      ...new Set(
        readBy(step)
          .flatMap(namesIn)
          .map(({ name }) => name),
      ),
    ]);
  }

  /** The variables that a node itself reads. */
  readsOf(index: number): readonly string[] {
    return this.#reads[index];
  }

  /** The origins of the values that variables have at a node. `known` variables have none. */
  originsOf(index: number, names: readonly string[], known: ReadonlySet<string> = NONE): readonly Nodes[] {
    const definitions = this.#definitions[index];
    return names.flatMap((name) => {
      const origins = known.has(name) ? undefined : lookUp(definitions, this.#names.of(name));
      return origins === undefined ? [] : [origins];
    });
  }

  /** What a source depends on directly. Maps of nodes that share parts have the same sources there. */
  sourcesOf(source: Source): readonly Source[] {
    if (typeof source === 'number') {
      return [...this.nodes[source].parents, ...this.originsOf(source, this.#reads[source])];
    }
    return partsOfMap(source);
  }
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Determines which of some variables a node reads, itself or through its dependencies.
 *
 * As in stanc, values of `known` variables count as having no origin if the node itself, or a node that it directly depends on, reads them.
 */
export class Influences {
  readonly #dependencies: Dependencies;
  readonly #wanted: readonly string[];
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #known: ReadonlySet<string>;
  readonly #all: Reached<Source, Nodes>;
  readonly #direct = new Map<Source, Nodes>();

  constructor(dependencies: Dependencies, wanted: Iterable<string>, known: ReadonlySet<string> = NONE) {
    this.#dependencies = dependencies;
    this.#wanted = [...wanted];
    this.#numbers = new Map(this.#wanted.map((name, number) => [name, number]));
    this.#known = known;
    this.#all = new Reached<Source, Nodes>(
      (source) => dependencies.sourcesOf(source),
      (source) => (typeof source === 'number' ? this.#read(dependencies.readsOf(source)) : undefined),
      together,
    );
  }

  /** The origins of a node and of everything that it depends on. */
  on(index: number): readonly string[] {
    return this.#namesOf(this.#all.from(index));
  }

  /** The origins of the variables with these names at a node: what their values, and whether the node runs, depend on. */
  onNames(index: number, names: readonly string[]): readonly string[] {
    const origins = this.#dependencies.originsOf(index, names, this.#known);
    const sources: readonly Source[] = [...this.#dependencies.nodes[index].parents, ...origins];
    return this.#namesOf(
      sources.reduce<Nodes>((met, source) => together(met, this.#ofDirect(source)), this.#read(names)),
    );
  }

  /** The origins of a node that is queried directly, without those of known variables. */
  #ofDirect(source: Source): Nodes {
    if (this.#known.size === 0) return this.#all.from(source);
    if (this.#direct.has(source)) return this.#direct.get(source);
    const met =
      typeof source === 'number'
        ? this.#ofNode(source)
        : partsOfMap(source).reduce<Nodes>((all, part) => together(all, this.#ofDirect(part)), undefined);
    this.#direct.set(source, met);
    return met;
  }

  #ofNode(index: number): Nodes {
    const reads = this.#dependencies.readsOf(index);
    const origins = this.#dependencies.originsOf(index, reads, this.#known);
    return [...this.#dependencies.nodes[index].parents, ...origins].reduce<Nodes>(
      (met, source) => together(met, this.#all.from(source)),
      this.#read(reads),
    );
  }

  #read(names: readonly string[]): Nodes {
    return names.reduce<Nodes>((met, name) => {
      const number = this.#numbers.get(name);
      return number === undefined ? met : withValue<true>(met, number, true);
    }, undefined);
  }

  #namesOf(numbers: Nodes): readonly string[] {
    return keysOf(numbers).map((number) => this.#wanted[number]);
  }
}

/** Both halves of a map, or the one node that it has. */
function partsOfMap(map: Nodes): readonly Source[] {
  if (map === undefined) return [];
  return 'key' in map ? [map.key] : [map.low, map.high];
}

function reachingDefinitions(root: Step, names: Numbering<string>): Analysis<Definitions> {
  const loops = new Loops(root, names, definedBy);
  const alone: Nodes[] = [];
  /** The node alone: one map each, so that equal definitions are identical. */
  const only = (index: number): Nodes => {
    alone[index] ??= withValue<true>(undefined, index, true);
    return alone[index];
  };
  return {
    start: undefined,
    bottom: undefined,
    isMonotone: true,
    after({ index, step }, before) {
      switch (step.kind) {
        case 'declare':
        case 'for':
          return withValue(before, names.of(step.name), only(index));
        case 'assignment': {
          const name = names.of(step.name);
          const earlier = step.isWhole ? undefined : lookUp(before, name);
          return withValue(before, name, together(earlier, only(index)));
        }
        default:
          return before;
      }
    },
    join: (a, b) => joined(a, b, together),
    isWithin: (a, b) => isPartOf(a, b, (some, all) => isPartOf(some, all, () => true)),
    // Otherwise definitions at the end of a loop would propagate through all inner loops once more.
    entering: ({ index }, arriving, before) => {
      let entering = arriving;
      loops.visitChanges(
        index,
        arriving,
        (at) => before[at],
        (name, nodes, last) => {
          const all = together(nodes, last);
          if (all !== nodes) entering = withValue(entering, name, all);
        },
      );
      return entering;
    },
  };
}

function definedBy(step: Step): Effects {
  switch (step.kind) {
    case 'declare':
    case 'for':
      return { changed: [step.name], replaced: [step.name] };
    case 'assignment':
      return { changed: [step.name], replaced: step.isWhole ? [step.name] : [] };
    default:
      return { changed: [], replaced: [] };
  }
}
