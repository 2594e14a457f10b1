import { type Type, unwindArray } from '../../language/types.js';
import { type Analysis, type FlowNode, flowOf, solve } from './flow.js';
import { mapParts, mapStep, type Step, stepsIn, type Term } from './outline.js';
import { sameTerm } from './same.js';

/** Variables whose value is known where control has come to; undefined where it never comes. */
type Values = ReadonlyMap<string, Term> | undefined;

type Transfer = (step: Step, values: ReadonlyMap<string, Term>) => ReadonlyMap<string, Term>;

/** Writes out the ints that are the same number on every way to where they are read. */
export function propagateConstants(root: Step, simplify: (term: Term) => Term): Step {
  return propagate(root, (step, values) => {
    if (step.kind === 'declare') return removed(values, step.name);
    if (step.kind !== 'assignment') return values;
    if (!step.isWhole || isReal(step.type)) return removed(values, step.name);
    const value = simplify(substitute(step.value, values));
    return isLiteral(value) ? new Map(values).set(step.name, value) : removed(values, step.name);
  });
}

/** Writes out the variables that are copies of others. A `kept` one is never replaced. */
export function propagateCopies(root: Step, kept: ReadonlySet<string>): Step {
  return propagate(root, (step, values) => {
    switch (step.kind) {
      case 'declare':
        return forgotten(values, step.name);
      case 'assignment': {
        if (!step.isWhole || step.value.kind !== 'name') return forgotten(values, step.name);
        if (kept.has(step.name)) return values;
        return new Map(forgotten(values, step.name)).set(step.name, step.value);
      }
      case 'block':
      case 'profile':
        return step.steps.flatMap(declaredAtTop).reduce(forgotten, values);
      default:
        return values;
    }
  });
}

function declaredAtTop(step: Step): readonly string[] {
  if (step.kind === 'declare') return [step.name];
  return step.kind === 'list' ? step.steps.flatMap(declaredAtTop) : [];
}

function propagate(root: Step, transfer: Transfer): Step {
  const nodes = flowOf(root);
  const values = solve(nodes, analysisOf(transfer));
  let next = 0;
  const rewrite = (step: Step): Step => {
    const known = values[next];
    next++;
    const inner = stepsIn(step).map(rewrite);
    let at = 0;
    return mapStep(
      step,
      (term) => (known === undefined ? term : substitute(term, known)),
      () => inner[at++],
    );
  };
  return rewrite(root);
}

function analysisOf(transfer: Transfer): Analysis<Values> {
  return {
    start: new Map(),
    bottom: undefined,
    after: ({ step }: FlowNode, values) => values && transfer(step, values),
    join: (a, b) => {
      if (a === undefined || b === undefined) return a ?? b;
      return new Map([...a].filter(([name, value]) => agrees(b, name, value)));
    },
    isWithin: (a, b) =>
      a === undefined || (b !== undefined && (a === b || [...b].every(([name, value]) => agrees(a, name, value)))),
  };
}

function agrees(values: ReadonlyMap<string, Term>, name: string, value: Term): boolean {
  const other = values.get(name);
  return other !== undefined && (other === value || sameTerm(other, value, 'in the same place'));
}

function substitute(term: Term, values: ReadonlyMap<string, Term>): Term {
  if (values.size === 0) return term;
  if (term.kind === 'name') return values.get(term.name) ?? term;
  return mapParts(term, (part) => substitute(part, values));
}

function removed(values: ReadonlyMap<string, Term>, name: string): ReadonlyMap<string, Term> {
  if (!values.has(name)) return values;
  const rest = new Map(values);
  rest.delete(name);
  return rest;
}

/** Without the value of a variable and without its copies. */
function forgotten(values: ReadonlyMap<string, Term>, name: string): ReadonlyMap<string, Term> {
  const isCopy = (value: Term) => value.kind === 'name' && value.name === name;
  if (!values.has(name) && ![...values.values()].some(isCopy)) return values;
  return new Map([...values].filter(([key, value]) => key !== name && !isCopy(value)));
}

function isLiteral(term: Term): boolean {
  const { kind } = term.kind === 'promoted' ? term.inner : term;
  return kind === 'int' || kind === 'real' || kind === 'imaginary';
}

/** Values with derivatives, which stay as written. */
function isReal(type: Type): boolean {
  const { kind } = unwindArray(type).element;
  return kind === 'real' || kind === 'vector' || kind === 'row_vector' || kind === 'matrix';
}
