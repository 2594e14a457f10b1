import { append } from '../../base/multimap.js';
import type { Span } from '../../source/span.js';
import { Dependencies, Influences } from './dependencies.js';
import { type Call, namesIn, type OutlinedFunction, partsOf, readBy, type Term, withParts } from './outline.js';

/** A test or loop, and those of the given variables that it depends on, in alphabetical order. */
export interface DependentFlow {
  readonly span: Span;
  readonly names: readonly string[];
}

export function dependentFlow(dependencies: Dependencies, variables: ReadonlySet<string>): readonly DependentFlow[] {
  const influences = new Influences(dependencies, variables);
  return dependencies.nodes.flatMap(({ index, step }) => {
    if (step.span === undefined || !(step.kind === 'if' || step.kind === 'while' || step.kind === 'for')) return [];
    const names = inOrder(influences.on(index));
    return names.length === 0 ? [] : [{ span: step.span, names }];
  });
}

/** A test or loop inside a function that depends on an argument, and a call where that argument depends on parameters. */
export interface DependentArgument {
  readonly span: Span;
  readonly functionName: string;
  readonly argument: string;
  readonly given: Span;
  readonly parameters: readonly string[];
}

export function dependentArguments(
  density: Dependencies,
  functions: readonly OutlinedFunction[],
  parameters: ReadonlySet<string>,
): readonly DependentArgument[] {
  if (functions.length === 0) return [];
  const calls = callsIn(density);
  const influences = new Influences(density, parameters);
  return functions.flatMap(({ name, parameters: own, body }) => {
    const called = calls.get(name);
    if (called === undefined) return [];
    const flows = dependentFlow(new Dependencies(body), new Set(own));
    return called.flatMap(({ index, call }) =>
      flows.flatMap(({ span, names }) =>
        names.flatMap((argument) => {
          const given = call.arguments[own.indexOf(argument)];
          const depends = given === undefined ? [] : dependsOn(influences, index, given);
          if (depends.length === 0 || given?.span === undefined) return [];
          return [{ span, functionName: name, argument, given: given.span, parameters: depends }];
        }),
      ),
    );
  });
}

interface PlacedCall {
  readonly index: number;
  readonly call: Call;
}

/** The calls of each user function and the nodes that make them. stanc ignores a call that is everything that a node reads. */
function callsIn({ nodes }: Dependencies): ReadonlyMap<string, readonly PlacedCall[]> {
  const calls = new Map<string, PlacedCall[]>();
  for (const { index, step } of nodes) {
    for (const call of readBy(step).flatMap(partsOf).flatMap(withParts)) {
      if (call.kind !== 'call' || call.callee.kind !== 'user') continue;
      const { name } = call.callee;
      append(calls, name, { index, call });
    }
  }
  return calls;
}

function dependsOn(influences: Influences, index: number, term: Term): readonly string[] {
  return inOrder(
    influences.onNames(
      index,
      namesIn(term).map(({ name }) => name),
    ),
  );
}

function inOrder(names: readonly string[]): readonly string[] {
  return [...names].sort((a, b) => (a < b ? -1 : 1));
}
