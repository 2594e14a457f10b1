import {
  common,
  isPartOf,
  keysOf,
  lookUp,
  Numbering,
  type SharedMap,
  withoutValue,
  withValue,
} from '../../base/shared-map.js';
import { type Type, unwindArray } from '../../language/types.js';
import { type Changes, type Effects, Loops } from './changes.js';
import { type Analysis, type FlowNode, flowOf, solve } from './flow.js';
import { mapParts, mapStep, type Name, type Step, stepsIn, type Term, withSteps } from './outline.js';
import { sameSpan, sameTerm } from './same.js';

/** Variables with a known value at a program point. */
type Values = SharedMap<Term>;

interface Rules {
  transfer(step: Step, values: Values): Values;
  /** The effect of a step itself on the values of variables, without the steps inside it. */
  effectsOf(step: Step): Effects;
  /**
   * Whether a variable with a known value on entry to a loop certainly has no or another value after a step inside that changes it.
   * @param values those on entry, which are all that may be known there
   * @param changes of all variables in the loop
   */
  isLost(key: number, value: Term, step: Step, values: Values, changes: Changes): boolean;
}

/** Constant propagation: replaces int variables that have the same value on every path to a use. */
export function propagateConstants(root: Step, simplify: (term: Term) => Term): Step {
  if (!withSteps(root).some((step) => isNumberGiven(step, simplify))) return root;
  const names = new Numbering<string>();
  return propagate(root, names, {
    transfer: (step, values) => {
      if (step.kind === 'declare') return withoutValue(values, names.of(step.name));
      if (step.kind !== 'assignment') return values;
      if (!step.isWhole || isReal(step.type)) return withoutValue(values, names.of(step.name));
      const value = simplify(substitute(step.value, names, values));
      return isLiteral(value)
        ? withValue(values, names.of(step.name), value)
        : withoutValue(values, names.of(step.name));
    },
    effectsOf: (step) => {
      const changed = step.kind === 'declare' || step.kind === 'assignment' ? [step.name] : [];
      return { changed, replaced: changed };
    },
    isLost: (_, value, step, values, changes) => {
      if (step.kind !== 'assignment' || !step.isWhole || isReal(step.type)) return true;
      // Only a name represents a term of another location.
      if (step.value.kind !== 'name') return !sameSpan(step.value.span, value.span);
      const source = names.of(step.value.name);
      if (lookUp(changes, source) !== undefined) return false;
      const again = lookUp(values, source);
      return again === undefined || !agrees(again, value);
    },
  });
}

/** Whether a step assigns a constant to an int, independently of other variables. */
function isNumberGiven(step: Step, simplify: (term: Term) => Term): boolean {
  return step.kind === 'assignment' && step.isWhole && !isReal(step.type) && isLiteral(simplify(step.value));
}

/** Copy propagation: replaces variables that are copies of others. The `kept` ones are never replaced. */
export function propagateCopies(root: Step, kept: ReadonlySet<string>): Step {
  const copies = copiesIn(root, kept);
  if (copies.size === 0) return root;
  const names = new Numbering<string>();
  const isCopy = (value: Term | undefined, of: string): boolean => value?.kind === 'name' && value.name === of;
  /** The values without that of a variable and without its copies. */
  const forgotten = (values: Values, name: string): Values =>
    (copies.get(name) ?? []).reduce(
      (rest, copy) => (isCopy(lookUp(rest, names.of(copy)), name) ? withoutValue(rest, names.of(copy)) : rest),
      withoutValue(values, names.of(name)),
    );
  const copied = (step: Step): Name | undefined =>
    step.kind === 'assignment' && step.isWhole && step.value.kind === 'name' ? step.value : undefined;
  const changedBy = (step: Step): readonly string[] => {
    switch (step.kind) {
      case 'declare':
        return [step.name];
      case 'assignment':
        return copied(step) !== undefined && kept.has(step.name) ? [] : [step.name];
      case 'block':
      case 'profile':
        return step.steps.flatMap(declaredAtTop);
      default:
        return [];
    }
  };
  return propagate(root, names, {
    transfer: (step, values) => {
      const rest = changedBy(step).reduce(forgotten, values);
      const source = copied(step);
      if (source === undefined || step.kind !== 'assignment' || kept.has(step.name)) return rest;
      return withValue(rest, names.of(step.name), source);
    },
    effectsOf: (step) => {
      const replaced = changedBy(step);
      return { changed: replaced.flatMap((name) => [name, ...(copies.get(name) ?? [])]), replaced };
    },
    isLost: (key, value, step) => {
      const changed = changedBy(step);
      if (!changed.some((name) => names.of(name) === key || isCopy(value, name))) return false;
      const again = copied(step);
      return again === undefined || step.kind !== 'assignment' || names.of(step.name) !== key || !agrees(again, value);
    },
  });
}

/** For each variable, the variables that are a copy of it at some point, except the `kept` ones. */
function copiesIn(root: Step, kept: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const copies = new Map<string, Set<string>>();
  for (const step of withSteps(root)) {
    if (step.kind !== 'assignment' || !step.isWhole || step.value.kind !== 'name' || kept.has(step.name)) continue;
    const { name } = step.value;
    const known = copies.get(name);
    if (known === undefined) copies.set(name, new Set([step.name]));
    else known.add(step.name);
  }
  return new Map([...copies].map(([name, all]) => [name, [...all]]));
}

function declaredAtTop(step: Step): readonly string[] {
  if (step.kind === 'declare') return [step.name];
  return step.kind === 'list' ? step.steps.flatMap(declaredAtTop) : [];
}

function propagate(root: Step, names: Numbering<string>, rules: Rules): Step {
  const nodes = flowOf(root);
  const known = solve(nodes, analysisOf(rules, nodes, new Loops(root, names, rules.effectsOf)));
  let next = 0;
  const rewrite = (step: Step): Step => {
    const values = known[next]?.values;
    next++;
    const inner = stepsIn(step).map(rewrite);
    let at = 0;
    return mapStep(
      step,
      (term) => substitute(term, names, values),
      () => inner[at++],
    );
  };
  return rewrite(root);
}

/** Undefined if the program point is unreachable. */
type Reached = { readonly values: Values } | undefined;

function analysisOf(rules: Rules, nodes: readonly FlowNode[], loops: Loops): Analysis<Reached> {
  return {
    start: { values: undefined },
    bottom: undefined,
    isMonotone: true,
    after: ({ step }: FlowNode, reached) => {
      if (reached === undefined) return undefined;
      const values = rules.transfer(step, reached.values);
      return values === reached.values ? reached : { values };
    },
    join: (a, b) => (a === undefined || b === undefined ? (a ?? b) : { values: common(a.values, b.values, agrees) }),
    isWithin: (a, b) => a === undefined || (b !== undefined && isPartOf(b.values, a.values, agrees)),
    // Otherwise a value that the end of a loop rules out would first propagate through all inner loops.
    entering: ({ index }, reached, before) => {
      if (reached === undefined) return undefined;
      const { values } = reached;
      const lost: number[] = [];
      const known = (at: number) => before[at]?.values;
      loops.visitChanges(index, values, known, (key, value, last, changes) => {
        if (keysOf(last).some((at) => rules.isLost(key, value, nodes[at].step, values, changes))) lost.push(key);
      });
      return lost.length === 0 ? reached : { values: lost.reduce(withoutValue, values) };
    },
  };
}

function agrees(a: Term, b: Term): boolean {
  return sameTerm(a, b, 'in the same place');
}

function substitute(term: Term, names: Numbering<string>, values: Values): Term {
  if (values === undefined) return term;
  if (term.kind === 'name') return lookUp(values, names.of(term.name)) ?? term;
  return mapParts(term, (part) => substitute(part, names, values));
}

function isLiteral(term: Term): boolean {
  const { kind } = term.kind === 'promoted' ? term.inner : term;
  return kind === 'int' || kind === 'real' || kind === 'imaginary';
}

/** Whether values of the type have derivatives; these are not propagated. */
function isReal(type: Type): boolean {
  const { kind } = unwindArray(type).element;
  return kind === 'real' || kind === 'vector' || kind === 'row_vector' || kind === 'matrix';
}
