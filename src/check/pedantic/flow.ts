import { difference, joined, keysOf, type SharedMap, withValue } from '../../base/shared-map.js';
import { type Step, stepsIn } from './outline.js';

/** Nodes of a flow, by their indexes. Sets that differ by few nodes share the rest. */
export type Nodes = SharedMap<true>;

/** A step in the flow of control, by its position in the program. */
export interface FlowNode {
  readonly index: number;
  readonly step: Step;
  /** Nodes that may run immediately before it, each once. A block comes after the steps inside it. */
  predecessors: readonly number[];
  /** Nodes that decide whether it runs: the innermost test or loop around it, and the jumps before it. */
  parents: readonly (number | Nodes)[];
}

/** Whether the step may run again after itself. */
export function isLoop(step: Step): boolean {
  return step.kind === 'for' || step.kind === 'while';
}

/** The state of a walk in the order of the program. */
interface State {
  readonly breaks: Nodes;
  readonly continues: Nodes;
  readonly returns: Nodes;
  /** Nodes that may have run last. */
  readonly exits: readonly number[];
}

const NONE: readonly number[] = [];

/** Both in one set. */
export function together(a: Nodes, b: Nodes): Nodes {
  return joined(a, b, () => true);
}

/**
 * The flow of control through a step, as stanc draws it.
 * @param runsLoops whether every loop is taken to run at least once, and never to be left early
 */
export function flowOf(root: Step, runsLoops = false): readonly FlowNode[] {
  const nodes: FlowNode[] = [];
  const visit = (step: Step, parent: number | undefined, before: State): State => {
    const index = nodes.length;
    const node: FlowNode = { index, step, predecessors: NONE, parents: NONE };
    nodes.push(node);
    const repeats = isLoop(step);
    const isScope = step.kind === 'block' || step.kind === 'profile';
    const self: readonly number[] = [index];
    const start = { ...before, exits: isScope ? before.exits : self };
    const inner = throughInner(step, repeats || step.kind === 'if' ? index : parent, start, visit);
    const jumped = repeats ? [inner.breaks, inner.returns] : [];
    node.parents = [parent, before.returns, before.continues, ...jumped].filter((source) => source !== undefined);
    node.predecessors = repeats
      ? union(before.exits, inner.exits, keysOf(difference(inner.continues, before.continues)))
      : isScope
        ? inner.exits
        : before.exits;
    if (repeats) {
      const exits = runsLoops ? inner.exits : union(self, keysOf(difference(inner.breaks, before.breaks)));
      return { breaks: before.breaks, continues: before.continues, returns: inner.returns, exits };
    }
    return {
      breaks: step.kind === 'break' ? withValue(inner.breaks, index, true) : inner.breaks,
      continues: step.kind === 'continue' ? withValue(inner.continues, index, true) : inner.continues,
      returns: step.kind === 'return' ? withValue(inner.returns, index, true) : inner.returns,
      exits: isScope ? self : inner.exits,
    };
  };
  visit(root, undefined, { breaks: undefined, continues: undefined, returns: undefined, exits: NONE });
  return nodes;
}

type Visit = (step: Step, parent: number | undefined, before: State) => State;

function throughInner(step: Step, parent: number | undefined, start: State, visit: Visit): State {
  if (step.kind !== 'if') return stepsIn(step).reduce((state, inner) => visit(inner, parent, state), start);
  const first = visit(step.branches[0], parent, start);
  const second = step.branches[1] === undefined ? start : visit(step.branches[1], parent, start);
  return {
    breaks: together(first.breaks, second.breaks),
    continues: together(first.continues, second.continues),
    returns: together(first.returns, second.returns),
    exits: union(first.exits, second.exits),
  };
}

function union(...lists: readonly (readonly number[])[]): readonly number[] {
  const filled = lists.filter(({ length }) => length > 0);
  return filled.length < 2 ? (filled[0] ?? NONE) : [...new Set(filled.flat())];
}

/** The nodes that control may go to from each node. */
export function successorsOf(nodes: readonly FlowNode[]): readonly (readonly number[])[] {
  const successors: number[][] = nodes.map(() => []);
  for (const { index, predecessors } of nodes) for (const before of predecessors) successors[before].push(index);
  return successors;
}

/** A property of every point in the flow: the least solution of equations over a lattice. */
export interface Analysis<P> {
  /** Before the first step. */
  readonly start: P;
  /** The initial fact. Joining a fact to it yields that fact, except for facts that are never read. */
  readonly bottom: P;
  /** Whether `bottom` is the least element and `after` monotone: then nodes that one node alone comes before need no comparison. */
  readonly isMonotone: boolean;
  after(node: FlowNode, before: P): P;
  join(a: P, b: P): P;
  /** Whether joining `a` to `b` gives `b`. */
  isWithin(a: P, b: P): boolean;
  /**
   * The fact that reaches a loop from outside, joined with a fact that the least solution contains there. `before` is what is known before each node
   * so far.
   */
  entering?(loop: FlowNode, arriving: P, before: readonly P[]): P;
}

/**
 * Whether the fact before a node is the one after its only predecessor. Then nothing is joined, and nothing compared, which takes time in
 * proportion to the difference. Every cycle has a loop, where a property that stays the same ends the walk.
 */
function isOnlyWayTo({ predecessors, step }: FlowNode): boolean {
  return predecessors.length === 1 && !isLoop(step);
}

/** The successors of a node with the first step inside it last, so that it is visited first. */
function withBodyLast(successors: readonly number[], index: number): readonly number[] {
  if (successors.length < 2) return successors;
  const behind = successors.filter((next) => next > index).sort((a, b) => b - a);
  return [...successors.filter((next) => next <= index), ...behind];
}

/**
 * The fact before each node.
 * Source: Nielson, Nielson, Hankin, Principles of Program Analysis, 1999, section 2.4.
 */
export function solve<P>(nodes: readonly FlowNode[], analysis: Analysis<P>): readonly P[] {
  const before = nodes.map(({ predecessors }) => (predecessors.length === 0 ? analysis.start : analysis.bottom));
  const successors = analysis.isMonotone ? successorsOf(nodes).map(withBodyLast) : successorsOf(nodes);
  const waiting = nodes.map(({ index }) => index).reverse();
  const isWaiting = new Set(waiting);
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    if (!isWaiting.delete(index)) continue;
    const left = analysis.after(nodes[index], before[index]);
    for (const next of successors[index]) {
      const isEntered = index < next && isLoop(nodes[next].step);
      const after = isEntered ? (analysis.entering?.(nodes[next], left, before) ?? left) : left;
      // Comparing with `bottom` takes long where it is large, because it shares nothing with other facts.
      if (after === before[next] || after === analysis.bottom) continue;
      if (analysis.isMonotone && isOnlyWayTo(nodes[next])) before[next] = after;
      else {
        if (analysis.isWithin(after, before[next])) continue;
        before[next] = before[next] === analysis.bottom ? after : analysis.join(before[next], after);
      }
      // A waiting node moves to the top, so that facts pass through the body of a loop before they reach the statements after and around it.
      if (isWaiting.has(next) && !analysis.isMonotone) continue;
      isWaiting.add(next);
      waiting.push(next);
    }
  }
  return before;
}
