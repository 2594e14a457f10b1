import { append } from '../../base/multimap.js';
import { type Dependencies, Influences } from './dependencies.js';
import { namesIn, type ProgramOutline, type Step, type Term } from './outline.js';
import { Separation } from './separation.js';

/**
 * The factors of the target: each term that is added, each rejection, each call that adds to it, with the data and the
 * parameters that it depends on. stanc calls it a factor graph.
 */
export type Factors = readonly ReadonlySet<string>[];

export function factorsOf(outline: ProgramOutline, dependencies: Dependencies, data: ReadonlySet<string>): Factors {
  const variables = new Set([...data, ...outline.parameters.map(({ name }) => name)]);
  const influences = new Influences(dependencies, variables, variables);
  return dependencies.nodes.flatMap(({ index, step }) =>
    factorReads(step).map((names) => new Set(influences.onNames(index, names))),
  );
}

/** The names that each factor of a step reads. */
function factorReads(step: Step): readonly (readonly string[])[] {
  switch (step.kind) {
    case 'target':
    case 'jacobian':
      return termsOf(step.value).map((term) => namesIn(term).map(({ name }) => name));
    case 'call': {
      const { callee, arguments: parts } = step.call;
      if (callee.kind === 'builtin') return callee.name === 'reject' || callee.name === 'fatal_error' ? [[]] : [];
      return callee.name.endsWith('_lp') ? [parts.flatMap(namesIn).map(({ name }) => name)] : [];
    }
    default:
      return [];
  }
}

/** The terms of a sum. */
function termsOf(term: Term): readonly Term[] {
  const isSum = term.kind === 'call' && term.callee.kind === 'library' && term.callee.name === '+';
  return isSum && term.arguments.length === 2 ? term.arguments.flatMap(termsOf) : [term];
}

/** Counts the priors of parameters. The names of data and parameters connect the factors that contain them; sizes do not. */
export class Priors {
  /** The vertices of factors that have each name. */
  readonly #touching = new Map<string, number[]>();
  readonly #vertices = new Map<string, number>();
  readonly #separation: Separation;

  constructor(factors: Factors, data: ReadonlySet<string>, sizes: ReadonlySet<string>) {
    // Vertex 0 is next to all data; then come the factors, then names.
    const neighbors: number[][] = [[], ...factors.map(() => [])];
    const connect = (a: number, b: number): void => {
      neighbors[a].push(b);
      neighbors[b].push(a);
    };
    for (const [k, names] of factors.entries()) {
      for (const name of names) {
        append(this.#touching, name, k + 1);
        if (sizes.has(name)) continue;
        let vertex = this.#vertices.get(name);
        if (vertex === undefined) {
          vertex = neighbors.push([]) - 1;
          this.#vertices.set(name, vertex);
          if (data.has(name)) connect(0, vertex);
        }
        connect(k + 1, vertex);
      }
    }
    this.#separation = new Separation(neighbors);
  }

  /** The number of factors with the parameter that are connected to data only through it, if at all; undefined if no factor has it. */
  count(parameter: string): number | undefined {
    const vertex = this.#vertices.get(parameter);
    const own = this.#touching.get(parameter);
    if (own === undefined || vertex === undefined) return undefined;
    return own.filter((factor) => !this.#separation.isConnected(factor, vertex)).length;
  }
}
