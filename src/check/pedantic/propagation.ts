import { type Type, unwindArray } from '../../language/types.js';
import { type Analysis, type FlowNode, flowOf, solve } from './flow.js';
import { common, isPartOf, lookUp, type NameMap, Numbering, withoutValue, withValue } from './name-map.js';
import { mapParts, mapStep, type Step, stepsIn, type Term, withSteps } from './outline.js';
import { sameTerm } from './same.js';

/** Variables with a known value at a program point. */
type Values = NameMap<Term>;

type Transfer = (step: Step, values: Values) => Values;

/** Constant propagation: replaces int variables that have the same value on every path to a use. */
export function propagateConstants(root: Step, simplify: (term: Term) => Term): Step {
  if (!withSteps(root).some((step) => isNumberGiven(step, simplify))) return root;
  const names = new Numbering();
  return propagate(root, names, (step, values) => {
    if (step.kind === 'declare') return withoutValue(values, names.of(step.name));
    if (step.kind !== 'assignment') return values;
    if (!step.isWhole || isReal(step.type)) return withoutValue(values, names.of(step.name));
    const value = simplify(substitute(step.value, names, values));
    return isLiteral(value) ? withValue(values, names.of(step.name), value) : withoutValue(values, names.of(step.name));
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
  const names = new Numbering();
  const isCopy = (value: Term | undefined, of: string): boolean => value?.kind === 'name' && value.name === of;
  /** The values without that of a variable and without its copies. */
  const forgotten = (values: Values, name: string): Values =>
    (copies.get(name) ?? []).reduce(
      (rest, copy) => (isCopy(lookUp(rest, names.of(copy)), name) ? withoutValue(rest, names.of(copy)) : rest),
      withoutValue(values, names.of(name)),
    );
  return propagate(root, names, (step, values) => {
    switch (step.kind) {
      case 'declare':
        return forgotten(values, step.name);
      case 'assignment': {
        if (!step.isWhole || step.value.kind !== 'name') return forgotten(values, step.name);
        if (kept.has(step.name)) return values;
        return withValue(forgotten(values, step.name), names.of(step.name), step.value);
      }
      case 'block':
      case 'profile':
        return step.steps.flatMap(declaredAtTop).reduce(forgotten, values);
      default:
        return values;
    }
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

function propagate(root: Step, names: Numbering, transfer: Transfer): Step {
  const nodes = flowOf(root);
  const known = solve(nodes, analysisOf(transfer));
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

function analysisOf(transfer: Transfer): Analysis<Reached> {
  return {
    start: { values: undefined },
    bottom: undefined,
    isMonotone: true,
    after: ({ step }: FlowNode, reached) => {
      if (reached === undefined) return undefined;
      const values = transfer(step, reached.values);
      return values === reached.values ? reached : { values };
    },
    join: (a, b) => (a === undefined || b === undefined ? (a ?? b) : { values: common(a.values, b.values, agrees) }),
    isWithin: (a, b) => a === undefined || (b !== undefined && isPartOf(b.values, a.values, agrees)),
  };
}

function agrees(a: Term, b: Term): boolean {
  return sameTerm(a, b, 'in the same place');
}

function substitute(term: Term, names: Numbering, values: Values): Term {
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
