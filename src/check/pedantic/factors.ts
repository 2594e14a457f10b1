import type { Dependencies } from './dependencies.js';
import { namesIn, type ProgramOutline, type Step, type Term } from './outline.js';

/**
 * The factors of the target: each term that is added, each rejection, each call that adds to it, with the data and the
 * parameters that it depends on. stanc calls it a factor graph.
 */
export type Factors = readonly ReadonlySet<string>[];

export function factorsOf(outline: ProgramOutline, dependencies: Dependencies, data: ReadonlySet<string>): Factors {
  const variables = new Set([...data, ...outline.parameters.map(({ name }) => name)]);
  return dependencies.nodes.flatMap(({ index, step }) =>
    factorReads(step).map((names) => {
      const from = dependencies.ofNames(index, names, variables);
      return new Set([...names, ...dependencies.readsOfAll(from)].filter((name) => variables.has(name)));
    }),
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

/**
 * The number of a parameter's priors: of the factors that have it and are not connected to data except through it.
 * Undefined if no factor has it. Sizes are no data here.
 */
export function countPriors(
  factors: Factors,
  parameter: string,
  data: ReadonlySet<string>,
  sizes: ReadonlySet<string>,
): number | undefined {
  const own = factors.filter((names) => names.has(parameter));
  if (own.length === 0) return undefined;
  const without = factors.map((names) => new Set([...names].filter((name) => name !== parameter && !sizes.has(name))));
  const touching = new Map<string, ReadonlySet<string>[]>();
  for (const names of without) {
    for (const name of names) touching.set(name, [...(touching.get(name) ?? []), names]);
  }
  const reachesData = (start: ReadonlySet<string>): boolean => {
    const visited = new Set<string>();
    const waiting = [...start];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (visited.has(name)) continue;
      if (data.has(name)) return true;
      visited.add(name);
      for (const names of touching.get(name) ?? []) waiting.push(...names);
    }
    return false;
  };
  return without.filter((names, i) => factors[i].has(parameter) && !reachesData(names)).length;
}
