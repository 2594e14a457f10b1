import { INT, REAL, type Type } from '../../language/types.js';
import type { TildeStatement } from '../../syntax/ast.js';
import { calleeName, type Typed } from '../typed.js';
import type { FreshNames } from './fresh-names.js';
import type { Call, Step, Term } from './outline.js';
import { builtin, elementOf, library, nameTerm, ONE, toCallee, toTerm } from './terms.js';

type Tilde = TildeStatement<Typed>;

/** `y ~ f(…)` as an increment of the target. */
export function incrementOf(node: Tilde): Step {
  const { span } = node;
  const callee = toCallee(node.callee, calleeName(node.callee), true);
  const call: Call = {
    kind: 'call',
    callee,
    arguments: [node.variate, ...node.arguments].map(toTerm),
    type: REAL,
    span,
  };
  return { kind: 'target', value: call, span };
}

/** The steps of `T[lower, upper]`: a test of the variate, and the normalizing term, which is subtracted from the target. */
export function truncationSteps(names: FreshNames, node: Tilde): readonly Step[] {
  const { truncation } = node;
  if (truncation === undefined) return [];
  const args = node.arguments.map(toTerm);
  const lower = truncation.lower && toTerm(truncation.lower);
  const upper = truncation.upper && toTerm(truncation.upper);
  if (lower !== undefined && upper !== undefined) {
    const inside = (values: readonly Term[]) =>
      difference(cumulative(node, 'lcdf', upper, values), cumulative(node, 'lcdf', below(lower), values));
    const subtract = subtractBetween(names, node, args, upper, inside);
    return [test(node, '<', 'min', lower, test(node, '>', 'max', upper, subtract))];
  }
  if (lower !== undefined) {
    return [
      test(node, '<', 'min', lower, subtracted(node, lower, args, cumulative(node, 'lccdf', below(lower), args))),
    ];
  }
  if (upper !== undefined) {
    return [test(node, '>', 'max', upper, subtracted(node, upper, args, cumulative(node, 'lcdf', upper, args)))];
  }
  return [];
}

function test(node: Tilde, operator: '<' | '>', extreme: 'min' | 'max', bound: Term, otherwise: Step): Step {
  const variate = toTerm(node.variate);
  const compared = isContainer(variate.type) ? { ...library(extreme, [variate], REAL), ...at(bound) } : variate;
  return {
    kind: 'if',
    condition: library(operator, [compared, bound], INT),
    branches: [{ kind: 'target', value: builtin('negative_infinity', [], REAL), ...at(bound) }, otherwise],
    ...at(bound),
  };
}

function subtracted(node: Tilde, bound: Term, args: readonly Term[], term: Term): Step {
  return { kind: 'target', value: library('-x', [scaled(node, args, term)], REAL), ...at(bound) };
}

/** The normalizing term of a whole variate; if the arguments are scalars, that of one element times the number of elements. */
function scaled(node: Tilde, args: readonly Term[], term: Term): Term {
  const variate = toTerm(node.variate);
  if (!isContainer(variate.type) || args.some(({ type }) => isContainer(type))) return term;
  return library('*', [term, builtin('length', [variate], REAL)], REAL);
}

/** With two bounds and container arguments, subtracts the normalizing terms element by element. */
function subtractBetween(
  names: FreshNames,
  node: Tilde,
  args: readonly Term[],
  bound: Term,
  term: (args: readonly Term[]) => Term,
): Step {
  const at = args.findIndex(({ type }) => isContainer(type));
  if (at < 0) return subtracted(node, bound, args, term(args));
  const temporaries: Step[] = [];
  const named = args.map((argument, i) => {
    if (argument.kind === 'name') return argument;
    const name = `truncation${i}__`;
    temporaries.push(
      { kind: 'declare', name },
      { kind: 'assignment', name, type: argument.type, isWhole: true, value: argument },
    );
    return nameTerm(name, argument.type, argument.span);
  });
  const loop = names.within((name): Step => {
    const elements = named.map((value) =>
      isContainer(value.type) ? elementOf(value, nameTerm(name, INT, bound.span)) : value,
    );
    const span = bound.span && { span: bound.span };
    const body: Step = {
      kind: 'block',
      steps: [{ kind: 'target', value: library('-x', [scaled(node, args, term(elements))], REAL), ...span }],
      ...span,
    };
    return { kind: 'for', name, bounds: [ONE, builtin('length', [named[at]], INT)], body, ...span };
  });
  return { kind: 'block', steps: [...temporaries, loop], ...(bound.span && { span: bound.span }) };
}

function cumulative(
  { distribution, truncationCallees }: Tilde,
  suffix: 'lcdf' | 'lccdf',
  bound: Term,
  args: readonly Term[],
): Term {
  const found = (truncationCallees?.lower ?? truncationCallees?.upper)?.[suffix];
  const kind = found?.kind === 'user' ? 'user' : 'library';
  const name = `${distribution.name}_${suffix}`;
  return {
    kind: 'call',
    callee: { kind, name, dropsConstants: false },
    arguments: [bound, ...args],
    type: REAL,
    ...at(bound),
  };
}

/** The greatest value below an int bound; a real bound itself. */
function below(bound: Term): Term {
  return bound.type.kind === 'int' ? library('-', [bound, ONE], INT) : bound;
}

function difference(upper: Term, lower: Term): Term {
  return { ...library('log_diff_exp', [upper, lower], REAL), ...at(upper) };
}

function at({ span }: Term) {
  return span && { span };
}

function isContainer(type: Type): boolean {
  return type.kind !== 'int' && type.kind !== 'real' && type.kind !== 'complex' && type.kind !== 'tuple';
}
