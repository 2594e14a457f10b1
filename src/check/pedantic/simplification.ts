import { type FunctionSignatures, resolveOverload } from '../../language/overloads.js';
import { INT, REAL, type Type } from '../../language/types.js';
import { type Condition, type Identity, identitiesOf, type Pattern } from './identities.js';
import { numberOf } from './numbers.js';
import { type Call, mapParts, mapStep, readBy, type Step, someTerm, type Term, withParts } from './outline.js';
import { sameTerm } from './same.js';
import { builtin } from './terms.js';

type Bindings = Map<string, Term>;

/** Evaluates constants in terms, and replaces expressions by functions that compute the same. */
export class Simplification {
  readonly #functions: FunctionSignatures;

  constructor(functions: FunctionSignatures) {
    this.#functions = functions;
  }

  /** Simplifies a step. Integer division by zero becomes a rejection. */
  step(step: Step): Step {
    const simple = mapStep(
      step,
      (term) => this.term(term),
      (inner) => this.step(inner),
    );
    const reads = readBy(simple);
    if (!reads.some((term) => someTerm(term, dividesByZero))) return simple;
    const failing = reads.flatMap(withParts).find(dividesByZero);
    if (failing === undefined) return simple;
    return { kind: 'call', call: builtin('reject', [], { kind: 'void' }), ...(failing.span && { span: failing.span }) };
  }

  term(term: Term): Term {
    const simple = mapParts(term, (part) => this.term(part));
    switch (simple.kind) {
      case 'call':
        return simple.callee.kind === 'library' ? (this.#renamed(simple) ?? folded(simple)) : simple;
      case 'choice': {
        const [condition, consequence, alternative] = simple.parts;
        if (isNumber(condition, 0)) return moved(alternative, simple);
        return condition.kind === 'int' ? moved(consequence, simple) : simple;
      }
      case 'both':
      case 'either': {
        const [a, b] = simple.parts.map(literalValue);
        if (a === undefined || b === undefined) return simple;
        const isTrue = simple.kind === 'both' ? a !== 0 && b !== 0 : a !== 0 || b !== 0;
        return moved({ kind: 'int', text: isTrue ? '1' : '0', type: INT }, simple);
      }
      case 'slot': {
        const { tuple, slot } = simple;
        const isLiteral =
          tuple.kind === 'call' && tuple.callee.kind === 'builtin' && tuple.callee.name === 'tupleLiteral';
        return isLiteral ? moved(tuple.arguments[slot - 1], simple) : simple;
      }
      default:
        return simple;
    }
  }

  #renamed(call: Call): Call | undefined {
    for (const entry of identitiesOf(call.callee.name)) {
      const bindings = match(entry, call);
      if (bindings === undefined) continue;
      const built = build(entry.to, bindings);
      if (built.kind !== 'call' || !this.#exists(built)) return undefined;
      return { ...call, callee: { ...call.callee, name: built.callee.name }, arguments: built.arguments };
    }
    return undefined;
  }

  #exists({ callee, arguments: parts }: Call): boolean {
    const args = parts.map(({ type }) => ({ type, level: 'data' as const }));
    return resolveOverload(this.#functions.lookup(callee.name), args).kind === 'match';
  }
}

/** A term at the location of another. */
function moved(term: Term, { span }: Term): Term {
  const { span: _, ...rest } = term;
  return span === undefined ? rest : { ...rest, span };
}

function match({ from, condition }: Identity, term: Term): Bindings | undefined {
  const bindings: Bindings = new Map();
  return bind(from, term, bindings) && CONDITIONS[condition](bindings) ? bindings : undefined;
}

function bind(pattern: Pattern, term: Term, bindings: Bindings): boolean {
  switch (pattern.kind) {
    case 'number':
      return isNumber(term, pattern.value);
    case 'any': {
      const bound = bindings.get(pattern.name);
      if (bound !== undefined) return sameTerm(bound, term, 'anywhere');
      bindings.set(pattern.name, term);
      return true;
    }
    case 'call':
      return (
        term.kind === 'call' &&
        term.callee.kind === 'library' &&
        term.callee.name === pattern.name &&
        term.arguments.length === pattern.arguments.length &&
        pattern.arguments.every((part, i) => bind(part, term.arguments[i], bindings))
      );
  }
}

const CONDITIONS: Readonly<Record<Condition, (bindings: Bindings) => boolean>> = {
  always: () => true,
  'x is a matrix': (bindings) => bindings.get('x')?.type.kind === 'matrix',
  't is a scalar': (bindings) => isScalar(bindings.get('t')?.type),
  'x and y are not both vectors or matrices': (bindings) =>
    !(isLinear(bindings.get('x')?.type) && isLinear(bindings.get('y')?.type)),
};

function isScalar(type: Type | undefined): boolean {
  return type?.kind === 'int' || type?.kind === 'real';
}

/** Whether the type is a vector, row vector or matrix, real or complex. */
function isLinear(type: Type | undefined): boolean {
  return type !== undefined && /vector$|matrix$/.test(type.kind);
}

function build(pattern: Pattern, bindings: Bindings): Term {
  switch (pattern.kind) {
    case 'any': {
      const bound = bindings.get(pattern.name);
      if (bound === undefined) throw new Error(`Nothing stands for ${pattern.name}`);
      return bound;
    }
    case 'number':
      return { kind: 'int', text: String(pattern.value), type: INT };
    case 'call':
      return {
        kind: 'call',
        callee: { kind: 'library', name: pattern.name, dropsConstants: false },
        arguments: pattern.arguments.map((part) => build(part, bindings)),
        type: REAL,
      };
  }
}

function isNumber(term: Term, value: number): boolean {
  if (term.kind === 'promoted') return isNumber(term.inner, value);
  return (term.kind === 'int' || term.kind === 'real') && Number(term.text) === value;
}

function literalValue(term: Term): number | undefined {
  return term.kind === 'int' || term.kind === 'real' ? Number(term.text) : undefined;
}

/** The value of a call of an operator on numbers. */
function folded(call: Call): Term {
  const values = call.arguments.map(literalValue);
  const [a, b] = values;
  if (a === undefined || (values.length > 1 && b === undefined) || values.length > 2) return call;
  const isInt = call.arguments.every(({ kind }) => kind === 'int');
  const { name } = call.callee;
  const value = b === undefined ? prefixValue(name, a, isInt) : infixValue(name, a, b, isInt);
  if (value === undefined) return call;
  const isIntResult = isInt || COMPARISONS.has(name);
  const type = isIntResult ? INT : REAL;
  return moved({ kind: isIntResult ? 'int' : 'real', text: numberOf(value, isIntResult), type }, call);
}

function prefixValue(name: string, a: number, isInt: boolean): number | undefined {
  switch (name) {
    case '+x':
      return a;
    case '-x':
      return -a;
    case '!x':
      return isInt ? Number(a === 0) : undefined;
    default:
      return undefined;
  }
}

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);

function infixValue(name: string, a: number, b: number, isInt: boolean): number | undefined {
  switch (name) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return isInt ? quotient(a, b) : a / b;
    case '%/%':
      return isInt ? quotient(a, b) : undefined;
    case '%':
      return isInt && b > 0 ? ((a % b) + b) % b : undefined;
    case '==':
      return Number(a === b);
    case '!=':
      return Number(a !== b);
    case '<':
      return Number(a < b);
    case '<=':
      return Number(a <= b);
    case '>':
      return Number(a > b);
    case '>=':
      return Number(a >= b);
    default:
      return undefined;
  }
}

const DIVISIONS: ReadonlySet<string> = new Set(['/', '%/%', '%']);

function dividesByZero(term: Term): boolean {
  if (term.kind !== 'call' || !DIVISIONS.has(term.callee.name)) return false;
  const [dividend, divisor] = term.arguments;
  return dividend.type.kind === 'int' && divisor.kind === 'int' && Number(divisor.text) === 0;
}

function quotient(a: number, b: number): number | undefined {
  return b === 0 ? undefined : Math.trunc(a / b);
}
