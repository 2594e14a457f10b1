import type { Callee, Typed, UserFunction } from '../check/typed.js';
import { rankOf } from '../language/types.js';
import type { Visitor } from '../syntax/walk.js';

/** The user functions that a piece of source mentions, and its size. */
export interface Named {
  /** Statements and expressions. */
  readonly nodes: number;
  /** The functions that it calls, with the number of calls. */
  readonly calls: ReadonlyMap<UserFunction, number>;
  /** The functions that it passes to solvers and other higher-order functions. */
  readonly passed: ReadonlySet<UserFunction>;
}

/** What the nodes that `visit` visits mention. */
export function namedIn(visit: (visitor: Visitor<Typed>) => void): Named {
  let nodes = 0;
  const calls = new Map<UserFunction, number>();
  const passed = new Set<UserFunction>();
  const note = (callee: Callee | undefined): void => {
    if (callee?.kind === 'user') calls.set(callee.function, (calls.get(callee.function) ?? 0) + 1);
  };
  visit({
    expression: (node) => {
      nodes++;
      if (node.kind === 'call') note(node.callee);
      if (node.kind !== 'variable' || node.symbol?.kind !== 'function') return;
      if (node.symbol.function !== undefined) passed.add(node.symbol.function);
    },
    statement: (node) => {
      nodes++;
      if (node.kind !== 'callStatement' && node.kind !== 'tilde') return;
      note(node.callee);
      const { lower, upper } = node.truncationCallees ?? {};
      for (const callee of [lower?.lcdf, lower?.lccdf, upper?.lcdf, upper?.lccdf]) note(callee);
    },
  });
  return { nodes, calls, passed };
}

/** A function with fewer nodes is always inlined: a call would be as much code as the body. */
const SMALL = 60;

/**
 * A part of a program with at most this number of nodes, counted with every call inlined, has all its calls inlined. Models of posteriordb
 * have at most 473.
 */
const LARGE = 1000;

/** A piece of source, and what the functions that it mentions contain: null for an external function. */
export interface CallGraph {
  readonly part: Named;
  readonly named: (callee: UserFunction) => Named | null;
}

/**
 * The ids of the user functions that a part of a program calls instead of inlining. If the part is large with every call inlined, these
 * are the functions that are not small and would be inlined more than once. Functions that solvers call are inlined, because they run
 * many times.
 */
export function callsOfLarge(graph: CallGraph): ReadonlySet<number> {
  if (choose(graph, () => false).nodes <= LARGE) return new Set();
  return choose(graph, (own, copies) => copies > 1 && own.nodes >= SMALL).called;
}

/** The fewest copies of a function, nodes of one copy and nodes of all copies with which a differentiated part calls the function. */
const DIFFERENTIATED = { copies: 8, nodes: 100, total: 2000 };

/**
 * The ids of the user functions that a differentiated part of a program calls instead of inlining: long functions with many copies whose
 * results are containers, so that each call has its own loops. All others are inlined, because their statements are then vectorized and
 * fused with those around them, and their data are summarized.
 */
export function callsOfDifferentiated(graph: CallGraph): ReadonlySet<number> {
  const { copies, nodes, total } = DIFFERENTIATED;
  return choose(
    graph,
    (own, times, { result }) =>
      times >= copies && own.nodes >= nodes && times * own.nodes >= total && rankOf(result) > 0,
  ).called;
}

/** The ids of all user functions that a part of a program calls directly or indirectly, except those that solvers call. */
export function allCalls(graph: CallGraph): ReadonlySet<number> {
  return choose(graph, () => true).called;
}

/** The functions that are called, and the number of nodes of the part, including these functions and everything that is inlined. */
function choose(
  { part, named }: CallGraph,
  isCalled: (own: Named, copies: number, callee: UserFunction) => boolean,
): { readonly nodes: number; readonly called: ReadonlySet<number> } {
  const order = callersFirst(part, named);
  const isSolved = reachedBySolvers(part, order, named);
  const copies = new Map<number, number>();
  const called = new Set<number>();
  let nodes = 0;
  const add = (from: Named, times: number): void => {
    nodes += times * from.nodes;
    for (const [callee, count] of from.calls) copies.set(callee.id, (copies.get(callee.id) ?? 0) + times * count);
  };
  add(part, 1);
  for (const callee of order) {
    const own = named(callee);
    const times = copies.get(callee.id) ?? 0;
    if (own === null || times === 0) continue;
    if (!isSolved.has(callee.id) && isCalled(own, times, callee)) {
      called.add(callee.id);
      add(own, 1);
    } else {
      add(own, times);
    }
  }
  return { nodes, called };
}

/** The functions that a block calls directly or indirectly: callers before callees, except among mutually recursive functions. */
function callersFirst(part: Named, named: (callee: UserFunction) => Named | null): readonly UserFunction[] {
  const order: UserFunction[] = [];
  const met = new Set<number>();
  const waiting: { readonly callees: Iterator<UserFunction>; readonly of: UserFunction | null }[] = [];
  const enter = (from: Named | null, of: UserFunction | null): void => {
    if (from !== null) waiting.push({ callees: [...from.calls.keys(), ...from.passed].values(), of });
  };
  enter(part, null);
  for (let top = waiting.at(-1); top !== undefined; top = waiting.at(-1)) {
    const next = top.callees.next();
    if (next.done === true) {
      waiting.pop();
      if (top.of !== null) order.push(top.of);
    } else if (!met.has(next.value.id)) {
      met.add(next.value.id);
      enter(named(next.value), next.value);
    }
  }
  return order.reverse();
}

/** The ids of functions that are passed as arguments, and of the functions that they call. */
function reachedBySolvers(
  part: Named,
  order: readonly UserFunction[],
  named: (callee: UserFunction) => Named | null,
): ReadonlySet<number> {
  const reached = new Set<number>();
  const all = [part, ...order.map(named)];
  for (const from of all) for (const passed of from?.passed ?? []) reached.add(passed.id);
  // Callers come first, so that one pass suffices.
  for (const callee of order) {
    if (!reached.has(callee.id)) continue;
    for (const next of named(callee)?.calls.keys() ?? []) reached.add(next.id);
  }
  return reached;
}
