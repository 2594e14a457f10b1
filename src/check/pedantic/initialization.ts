import { common, isPartOf, lookUp, Numbering, type SharedMap, withValue } from '../../base/shared-map.js';
import type { Position, Span } from '../../source/span.js';
import { add, filter, fromRoot, type Tree, union } from './balanced-tree.js';
import { type FlowNode, flowOf, solve, successorsOf } from './flow.js';
import { type Name, namesIn, type ProgramOutline, readBy, type Step } from './outline.js';
import { FLAGS } from './programs.js';

/** A variable that is read where it may not have a value. */
export interface Uninitialized {
  readonly name: string;
  readonly span: Span;
}

interface Read {
  readonly name: string;
  readonly span?: Span;
}

type Reads = Tree<Read>;

/** One such read of each variable: the one nearest the root of a search tree of all, which is the one that stanc shows. */
export function uninitializedVariables(outline: ProgramOutline): readonly Uninitialized[] {
  const functions = [...outline.functions.map(({ name }) => name), ...FLAGS];
  const always = new Set([...functions, ...outline.data.keys()]);
  const withParameters = new Set([...always, ...outline.parameters.map(({ name }) => name)]);
  const [first, density, generate] = [[], outline.density, outline.generate].map((steps) =>
    readTooEarly({ kind: 'list', steps: [...outline.prepare, ...steps] }),
  );
  const found = together([
    without(first, always),
    ...[density, first, generate].map((reads) => without(reads, withParameters)),
    together(
      outline.functions.map(({ body, parameters }) =>
        without(readTooEarly(body), new Set([...functions, ...parameters])),
      ),
    ),
  ]);
  const shown = new Map<string, Uninitialized>();
  for (const { name, span } of fromRoot(found)) {
    if (span !== undefined && !shown.has(name)) shown.set(name, { name, span });
  }
  return [...shown.values()];
}

function together(trees: readonly Reads[]): Reads {
  return trees.reduce((all, tree) => union(all, tree, byPlace), undefined);
}

function without(reads: Reads, given: ReadonlySet<string>): Reads {
  return filter(reads, ({ name }) => !given.has(name));
}

function byPlace(a: Read, b: Read): number {
  return comparePlaces(a.span, b.span) || compareTexts(a.name, b.name);
}

/** Reads without a location come first. */
function comparePlaces(a: Span | undefined, b: Span | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return comparePositions(a.begin, b.begin) || comparePositions(a.end, b.end);
}

function comparePositions(a: Position, b: Position): number {
  return compareTexts(a.file.name, b.file.name) || a.line - b.line || a.column - b.column;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Reads of variables that are not assigned on every path to them. Assumes that loops run. As in stanc, no variable counts as assigned if no
 * step precedes, as in a function whose body begins with a loop.
 */
function readTooEarly(root: Step): Reads {
  const nodes = flowOf(root, true);
  const reads = nodes.map(({ step }) => readBy(step).flatMap(namesIn));
  const reachable = reachableFrom(nodes);
  const numbers = new Numbering<string>();
  const withName = (names: SharedMap<true>, name: string) => withValue(names, numbers.of(name), true);
  const assigned = solve<SharedMap<true>>(nodes, {
    start: undefined,
    bottom: [...new Set(reads.flatMap((names, i) => (reachable.has(i) ? names.map(({ name }) => name) : [])))].reduce<
      SharedMap<true>
    >(withName, undefined),
    // The fact at an unreachable step lacks the variables that are assigned there.
    isMonotone: false,
    after: ({ step }, before) =>
      step.kind === 'assignment' || step.kind === 'for' ? withName(before, step.name) : before,
    join: (a, b) => common(a, b, () => true),
    isWithin: (a, b) => isPartOf(b, a, () => true),
  });
  return reads.reduce<Reads>((all, names, i) => {
    const isEarly = ({ name }: Read) => lookUp(assigned[i], numbers.of(name)) === undefined;
    return names.some(isEarly) ? union(all, filter(treeOf(names), isEarly), byPlace) : all;
  }, undefined);
}

/** Orders reads by name, then by location. */
function treeOf(names: readonly Name[]): Reads {
  return names
    .map(({ name, span }): Read => ({ name, ...(span && { span }) }))
    .sort((a, b) => compareTexts(a.name, b.name) || comparePlaces(a.span, b.span))
    .reduce<Reads>((tree, read) => add(tree, read, byPlace), undefined);
}

function reachableFrom(nodes: readonly FlowNode[]): ReadonlySet<number> {
  const successors = successorsOf(nodes);
  const reached = new Set<number>();
  const waiting = nodes.filter(({ predecessors }) => predecessors.length === 0).map(({ index }) => index);
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (reached.has(index)) continue;
    reached.add(index);
    waiting.push(...successors[index]);
  }
  return reached;
}
