import { type Dependencies, Influences } from './dependencies.js';
import { namesIn, type ProgramOutline, type Step, type Term } from './outline.js';

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

/** Counts the priors of parameters, where each name of data and parameters connects the factors that have it. Sizes do not. */
export class Priors {
  readonly #data: ReadonlySet<string>;
  readonly #sizes: ReadonlySet<string>;
  readonly #touching = new Map<string, ReadonlySet<string>[]>();

  constructor(factors: Factors, data: ReadonlySet<string>, sizes: ReadonlySet<string>) {
    this.#data = data;
    this.#sizes = sizes;
    for (const names of factors) {
      for (const name of names) {
        const known = this.#touching.get(name);
        if (known === undefined) this.#touching.set(name, [names]);
        else known.push(names);
      }
    }
  }

  /** Of the factors that have the parameter, those that are not connected to data except through it; undefined if none has it. */
  count(parameter: string): number | undefined {
    const own = this.#touching.get(parameter);
    return own?.filter((names) => !this.#reachesData(names, parameter)).length;
  }

  #reachesData(start: ReadonlySet<string>, parameter: string): boolean {
    const visited = new Set([parameter]);
    const factors = new Set([start]);
    const waiting = [...start];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (visited.has(name) || this.#sizes.has(name)) continue;
      if (this.#data.has(name)) return true;
      visited.add(name);
      for (const names of this.#touching.get(name) ?? []) {
        if (factors.has(names)) continue;
        factors.add(names);
        for (const next of names) waiting.push(next);
      }
    }
    return false;
  }
}
