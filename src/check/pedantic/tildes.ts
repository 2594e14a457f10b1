import type { Span } from '../../source/span.js';
import { type Call, type ProgramOutline, type Term, withSteps } from './outline.js';
import * as sentences from './sentences.js';
import type { Warning } from './warning.js';

/** Calls that are the whole increment of the target in a statement. */
function increments({ density }: ProgramOutline): readonly { readonly call: Call; readonly span: Span }[] {
  return density
    .flatMap(withSteps)
    .flatMap((step) =>
      step.kind === 'target' && step.value.kind === 'call' && step.span !== undefined
        ? [{ call: step.value, span: step.span }]
        : [],
    );
}

/** Warns about variables that are the first argument of more than one increment. */
export function severalTildes(outline: ProgramOutline): readonly Warning[] {
  const spans = new Map<string, Span[]>();
  for (const { call, span } of increments(outline)) {
    const [variate] = call.arguments;
    if (variate?.kind === 'name') spans.set(variate.name, [...(spans.get(variate.name) ?? []), span]);
  }
  return [...spans].flatMap(([name, places]) => {
    const ordered = places.toSorted(({ begin: a }, { begin: b }) => a.line - b.line || a.column - b.column);
    return places.length > 1 ? [{ span: ordered[0], message: sentences.severalTildes(name) }] : [];
  });
}

/** Warns about densities of an expression that may be a non-linear transform of a variable. */
export function nonlinearTildes(outline: ProgramOutline): readonly Warning[] {
  return increments(outline).flatMap(({ call, span }) => {
    const { kind, name } = call.callee;
    const isDensity = kind !== 'builtin' && /_lp[dm]f$/.test(name);
    const [variate] = call.arguments;
    if (!isDensity || variate === undefined || isLinear(variate, true)) return [];
    return [{ span, message: sentences.nonlinearTilde() }];
  });
}

/** Functions that are linear if their arguments are. */
const LINEAR: ReadonlySet<string> = new Set([
  '+',
  '-',
  '+x',
  '-x',
  '!x',
  "x'",
  'add',
  'append_block',
  'append_row',
  'append_col',
  'block',
  'col',
  'cols',
  'row',
  'rows',
  'diagonal',
  'head',
  'tail',
  'minus',
  'negative_infinity',
  'not_a_number',
  'rep_matrix',
  'rep_vector',
  'rep_row_vector',
  'positive_infinity',
  'segment',
  'subtract',
  'sum',
  'to_vector',
  'to_row_vector',
  'to_matrix',
  'to_array_1d',
  'to_array_2d',
  'transpose',
]);

/** Whether a term is linear in its variables; if variables are not allowed, whether it consists of numbers only. */
function isLinear(term: Term, allowsVariables: boolean): boolean {
  switch (term.kind) {
    case 'name':
      return allowsVariables;
    case 'int':
    case 'real':
    case 'imaginary':
      return true;
    case 'indexed':
      return isLinear(term.container, allowsVariables);
    case 'promoted':
      return isLinear(term.inner, allowsVariables);
    case 'choice':
      return term.parts.every((part) => isLinear(part, allowsVariables));
    case 'call':
      return isLinearCall(term, allowsVariables);
    default:
      return false;
  }
}

function isLinearCall({ callee, arguments: parts }: Call, allowsVariables: boolean): boolean {
  const areLinear = (terms: readonly Term[]) => terms.every((part) => isLinear(part, allowsVariables));
  if (callee.kind === 'builtin') {
    return (callee.name === 'arrayLiteral' || callee.name === 'rowVectorLiteral') && areLinear(parts);
  }
  if (callee.kind === 'user') return false;
  if (LINEAR.has(callee.name)) return areLinear(parts);
  if (parts.every((part) => isLinear(part, false))) return true;
  const isProduct = (a: Term, b: Term) =>
    (isLinear(a, allowsVariables) && isLinear(b, false)) || (isLinear(a, false) && isLinear(b, allowsVariables));
  const [a, b, c] = parts;
  switch (callee.name) {
    case '*':
    case '/':
    case '%/%':
      return parts.length === 2 && isProduct(a, b);
    case 'fma':
      return parts.length === 3 && isLinear(c, allowsVariables) && isProduct(a, b);
    default:
      return false;
  }
}
