import type { Type } from '../../language/types.js';
import type { Span } from '../../source/span.js';

/**
 * A program reduced to the parts that the pedantic analyses need: names, numbers, calls and the flow of control. Operators are calls,
 * parentheses are removed, a `~` is an increment of the target, and bounds and sizes of containers are calls that read them. As in stanc,
 * variables are identified by name, because variables in the same scope have different names.
 */
export type Term =
  | Name
  | Number
  | Call
  | (Located & { readonly kind: 'choice'; readonly parts: readonly [Term, Term, Term] })
  | (Located & { readonly kind: 'both' | 'either'; readonly parts: readonly [Term, Term] })
  | (Located & { readonly kind: 'indexed'; readonly container: Term; readonly indices: readonly Term[] })
  | (Located & { readonly kind: 'slot'; readonly tuple: Term; readonly slot: number })
  | Promoted;

interface Located {
  readonly type: Type;
  /** The location for warnings about it; absent if the program has no text for it. */
  readonly span?: Span;
}

export interface Name extends Located {
  readonly kind: 'name';
  readonly name: string;
}

interface Number extends Located {
  readonly kind: 'int' | 'real' | 'imaginary';
  readonly text: string;
}

interface Promoted extends Located {
  readonly kind: 'promoted';
  readonly inner: Term;
}

export interface Call extends Located {
  readonly kind: 'call';
  readonly callee: Callee;
  readonly arguments: readonly Term[];
}

export interface Callee {
  /** `builtin`: literals of containers, sizes, checks and output, which are not functions of the language. */
  readonly kind: 'library' | 'user' | 'builtin';
  /** The declared name, so never with `_lupdf`. The name of an operator is its sign: `+`, `-`, and `-x`, `+x`, `!x` of a prefix. */
  readonly name: string;
  /** Whether the call drops constants: `~`, `_lupdf`, `_lupmf`. */
  readonly dropsConstants: boolean;
}

export type Step = StepShape & { readonly span?: Span };

type StepShape =
  | { readonly kind: 'declare'; readonly name: string }
  | Assignment
  | { readonly kind: 'target' | 'jacobian'; readonly value: Term }
  | { readonly kind: 'call'; readonly call: Call }
  | { readonly kind: 'break' | 'continue' | 'empty' }
  | { readonly kind: 'return'; readonly value?: Term }
  | { readonly kind: 'if'; readonly condition: Term; readonly branches: readonly [Step] | readonly [Step, Step] }
  | { readonly kind: 'while'; readonly condition: Term; readonly body: Step }
  | { readonly kind: 'for'; readonly name: string; readonly bounds: readonly [Term, Term]; readonly body: Step }
  /** `block` and `profile` are scopes. */
  | { readonly kind: 'block' | 'profile' | 'list'; readonly steps: readonly Step[] };

interface Assignment {
  readonly kind: 'assignment';
  readonly name: string;
  /** The type of the variable or tuple slot that is indexed. */
  readonly type: Type;
  /** Neither a part by index nor a slot of a tuple. */
  readonly isWhole: boolean;
  readonly value: Term;
}

export interface OutlinedFunction {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly body: Step;
}

/** A parameter's declared constraint, with bounds as terms; a tuple's constraints are not looked at. */
export type Constraint =
  | { readonly kind: 'bounds'; readonly lower?: Term; readonly upper?: Term }
  | { readonly kind: 'named'; readonly name: string }
  | { readonly kind: 'none' };

export interface ParameterOutline {
  readonly name: string;
  readonly constraint: Constraint;
  readonly span: Span;
}

export interface ProgramOutline {
  readonly functions: readonly OutlinedFunction[];
  /** Data variables by name: whether they are single ints. */
  readonly data: ReadonlyMap<string, { readonly isInt: boolean }>;
  readonly parameters: readonly ParameterOutline[];
  /** Names of parameters, transformed parameters and generated quantities. */
  readonly outputs: ReadonlySet<string>;
  /** Data with its checks, transformed data, and the sizes of everything written out. */
  readonly prepare: readonly Step[];
  readonly density: readonly Step[];
  readonly generate: readonly Step[];
}

/** The parts of a term, left to right. */
export function partsOf(term: Term): readonly Term[] {
  switch (term.kind) {
    case 'call':
      return term.arguments;
    case 'choice':
    case 'both':
    case 'either':
      return term.parts;
    case 'indexed':
      return [term.container, ...term.indices];
    case 'slot':
      return [term.tuple];
    case 'promoted':
      return [term.inner];
    default:
      return NOTHING;
  }
}

const NOTHING: readonly never[] = [];

/** The term with its parts replaced; the term itself if no part changes. */
export function mapParts(term: Term, f: (part: Term) => Term): Term {
  switch (term.kind) {
    case 'call': {
      const parts = mapAll(term.arguments, f);
      return parts === term.arguments ? term : { ...term, arguments: parts };
    }
    case 'choice': {
      const [condition, consequence, alternative] = term.parts;
      const parts = [f(condition), f(consequence), f(alternative)] as const;
      return parts.every((part, i) => part === term.parts[i]) ? term : { ...term, parts };
    }
    case 'both':
    case 'either': {
      const parts = [f(term.parts[0]), f(term.parts[1])] as const;
      return parts.every((part, i) => part === term.parts[i]) ? term : { ...term, parts };
    }
    case 'indexed': {
      const container = f(term.container);
      const indices = mapAll(term.indices, f);
      return container === term.container && indices === term.indices ? term : { ...term, container, indices };
    }
    case 'slot': {
      const tuple = f(term.tuple);
      return tuple === term.tuple ? term : { ...term, tuple };
    }
    case 'promoted': {
      const inner = f(term.inner);
      return inner === term.inner ? term : { ...term, inner };
    }
    default:
      return term;
  }
}

/** The mapped items; the list itself if none changes. */
function mapAll<T>(items: readonly T[], f: (item: T) => T): readonly T[] {
  let mapped: T[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = f(items[i]);
    if (mapped === undefined && item !== items[i]) mapped = items.slice(0, i);
    mapped?.push(item);
  }
  return mapped ?? items;
}

/** All names in a term. */
export function namesIn(term: Term): readonly Name[] {
  if (term.kind === 'name') return [term];
  const names: Name[] = [];
  addNames(term, names);
  return names;
}

function addNames(term: Term, names: Name[]): void {
  if (term.kind === 'name') names.push(term);
  else for (const part of partsOf(term)) addNames(part, names);
}

/** A term and everything inside it. */
export function withParts(term: Term): readonly Term[] {
  const terms: Term[] = [];
  addParts(term, terms);
  return terms;
}

function addParts(term: Term, terms: Term[]): void {
  terms.push(term);
  for (const part of partsOf(term)) addParts(part, terms);
}

/** Whether a term or anything inside it is such. */
export function someTerm(term: Term, isSuch: (term: Term) => boolean): boolean {
  return isSuch(term) || partsOf(term).some((part) => someTerm(part, isSuch));
}

/** The steps directly inside a step. */
export function stepsIn(step: Step): readonly Step[] {
  switch (step.kind) {
    case 'if':
      return step.branches;
    case 'while':
    case 'for':
      return [step.body];
    case 'block':
    case 'profile':
    case 'list':
      return step.steps;
    default:
      return NOTHING;
  }
}

/** A step and everything inside it, in the order of the text. */
export function withSteps(step: Step): readonly Step[] {
  const steps: Step[] = [];
  addSteps(step, steps);
  return steps;
}

function addSteps(step: Step, steps: Step[]): void {
  steps.push(step);
  for (const inner of stepsIn(step)) addSteps(inner, steps);
}

/** The terms that a step itself reads, without the steps inside it and the indices that it writes to. */
export function readBy(step: Step): readonly Term[] {
  switch (step.kind) {
    case 'assignment':
    case 'target':
    case 'jacobian':
      return [step.value];
    case 'return':
      return step.value === undefined ? [] : [step.value];
    case 'call':
      return step.call.arguments;
    case 'if':
    case 'while':
      return [step.condition];
    case 'for':
      return step.bounds;
    default:
      return NOTHING;
  }
}

/** The step with its terms and the steps inside it mapped; the step itself if none changes. */
export function mapStep(step: Step, term: (term: Term) => Term, inner: (step: Step) => Step): Step {
  switch (step.kind) {
    case 'assignment':
    case 'target':
    case 'jacobian': {
      const value = term(step.value);
      return value === step.value ? step : { ...step, value };
    }
    case 'return': {
      const value = step.value && term(step.value);
      return value === undefined || value === step.value ? step : { ...step, value };
    }
    case 'call': {
      const parts = mapAll(step.call.arguments, term);
      return parts === step.call.arguments ? step : { ...step, call: { ...step.call, arguments: parts } };
    }
    case 'if': {
      const condition = term(step.condition);
      const [first, second] = step.branches;
      const branches = second === undefined ? ([inner(first)] as const) : ([inner(first), inner(second)] as const);
      const stays = condition === step.condition && branches.every((branch, i) => branch === step.branches[i]);
      return stays ? step : { ...step, condition, branches };
    }
    case 'while': {
      const condition = term(step.condition);
      const body = inner(step.body);
      return condition === step.condition && body === step.body ? step : { ...step, condition, body };
    }
    case 'for': {
      const bounds = [term(step.bounds[0]), term(step.bounds[1])] as const;
      const body = inner(step.body);
      const stays = bounds[0] === step.bounds[0] && bounds[1] === step.bounds[1] && body === step.body;
      return stays ? step : { ...step, bounds, body };
    }
    case 'block':
    case 'profile':
    case 'list': {
      const steps = mapAll(step.steps, inner);
      return steps === step.steps ? step : { ...step, steps };
    }
    default:
      return step;
  }
}
