import { arrayOf, INT, REAL, sameType, type Type, VECTOR } from '../../../src/language/types.js';
import { callText, expression, index, literal, partsOfVariable } from './expressions.js';
import type { Scope } from './scope.js';
import { randomType, sizedType } from './types.js';

const DEEPEST = 3;

export function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

/** A sequence of statements; the declarations of each are visible in those after it. */
export function statements(scope: Scope, count: number, depth = 0): string {
  return Array.from({ length: count }, () => statement(scope, depth)).join('\n');
}

function block(scope: Scope, depth: number): string {
  return `{\n${indent(statements(scope, 1 + scope.random.below(3), depth + 1))}\n}`;
}

/** One statement, or several that belong together. */
function statement(scope: Scope, depth: number): string {
  const { random, able } = scope;
  const nested = depth < DEEPEST ? 1 : 0;
  const wrong = scope.isWrong() ? 3 : 0;
  return random.weighted<() => string>([
    [6, () => declaration(scope)],
    [8, () => assignment(scope)],
    [able.target ? 5 : wrong, () => increment(scope)],
    [able.target ? 3 : wrong, () => tilde(scope)],
    [able.jacobian ? 2 : wrong, () => `jacobian += ${expression(REAL, 2, scope)};`],
    [3 * nested, () => conditional(scope, depth)],
    [3 * nested, () => counted(scope, depth)],
    [2 * nested, () => each(scope, depth)],
    [nested, () => bounded(scope, depth)],
    [nested, () => block(scope.inside(), depth)],
    [nested, () => `profile("${random.pick(['a', 'b'])}") ${block(scope.inside(), depth)}`],
    [1, () => output(scope)],
    [1, () => unpacking(scope)],
    [able.leaveLoop ? 2 : wrong, () => `if (${expression(INT, 1, scope)}) ${random.pick(['break', 'continue'])};`],
    [able.returns !== null ? 1 : wrong, () => `if (${expression(INT, 1, scope)}) ${result(scope)}`],
    [1, () => procedure(scope)],
    [
      wrong,
      () => random.pick(['break;', 'return 1;', 'x ~ nowhere();', 'data real q;', 'target = 3;', 'real N = 2;', ';;']),
    ],
  ])();
}

/** `return …;` with the result type of the enclosing function. */
export function result(scope: Scope): string {
  const { returns } = scope.able;
  if (returns === null || returns.kind === 'void') return scope.isWrong() ? 'return 1;' : 'return;';
  return `return ${expression(returns, 2, scope)};`;
}

/** A local declaration, with or without a value. A value of another size is an error at run time. */
function declaration(scope: Scope): string {
  const type = randomType(scope.random);
  const value = expression(type, 2, scope);
  const name = scope.isWrong() ? scope.random.pick(['N', 'target', 'sin', 'lower', 'x1']) : scope.fresh('v');
  const text = `${sizedType(type, scope, false)} ${name} = ${value};`;
  scope.declare(name, type, true, scope.able.parameters ? 'autodiff' : 'data');
  return text;
}

function writable(scope: Scope): readonly { readonly text: string; readonly type: Type }[] {
  const variables = scope.variables.filter(({ isWritable }) => isWritable || scope.isWrong());
  return variables.flatMap((variable) => partsOfVariable(variable, scope));
}

function assignment(scope: Scope): string {
  const { random } = scope;
  const places = writable(scope);
  if (places.length === 0) return declaration(scope);
  const { text, type } = random.pick(places);
  if (random.chance(0.2)) return several(text, type, scope);
  if (random.chance(0.25)) {
    switch (type.kind) {
      case 'int':
        return `${text} ${random.pick(['+=', '-='])} ${literal(INT, 0, scope)};`;
      case 'real':
      case 'complex':
        return `${text} ${random.pick(['+=', '-=', '*=', '/='])} ${expression(type, 1, scope)};`;
      case 'vector':
      case 'row_vector':
      case 'matrix':
        return `${text} ${random.pick(['+=', '-=', '.*=', './=', '*=', '/='])} ${random.chance(0.8) ? expression(type, 1, scope) : '1.5'};`
          .replace(/(\*=|\/=) .*/, (all, operator: string) => (all.startsWith('.') ? all : `${operator} 0.5;`))
          .replace('.*= 0.5', '*= 0.5')
          .replace('./= 0.5', '/= 0.5');
    }
  }
  return `${text} = ${expression(type, 2, scope)};`;
}

/** An assignment to several elements. */
function several(place: string, type: Type, scope: Scope): string {
  const slice = (): string => scope.random.pick(['1:3', ':', '{2, 3, 1}', '{1, 1, 2}', '', '1:', ':3']);
  switch (type.kind) {
    case 'array':
    case 'vector':
    case 'row_vector':
    case 'complex_vector':
    case 'complex_row_vector':
      return `${place}[${slice()}] = ${expression(type, 2, scope)};`;
    case 'matrix':
    case 'complex_matrix':
      return `${place}[${slice()}, ${slice()}] = ${expression(type, 2, scope)};`;
    default:
      return `${place} = ${expression(type, 2, scope)};`;
  }
}

function unpacking(scope: Scope): string {
  const places = writable(scope);
  if (places.length < 2) return assignment(scope);
  const names = new Set<string>();
  const chosen = scope.random
    .several(2, 3, () => scope.random.pick(places))
    .filter(({ text }) => {
      const name = /^\w+/.exec(text)?.[0] ?? '';
      const isNew = !names.has(name);
      names.add(name);
      return isNew || scope.isWrong();
    });
  if (chosen.length < 2) return assignment(scope);
  const type: Type = { kind: 'tuple', elements: chosen.map((place) => place.type) };
  return `(${chosen.map(({ text }) => text).join(', ')}) = ${expression(type, 2, scope)};`;
}

function increment(scope: Scope): string {
  const type = scope.random.pick<Type>([REAL, REAL, VECTOR, arrayOf(REAL), { kind: 'matrix' }]);
  return `target += ${expression(type, 3, scope)};`;
}

function tilde(scope: Scope): string {
  const { random } = scope;
  const real = (): string => expression(REAL, 1, scope);
  const vector = (): string => expression(random.chance(0.5) ? VECTOR : REAL, 1, scope);
  const positive = (): string => `exp(${real()})`;
  return random.pick([
    () => `${vector()} ~ normal(${vector()}, ${positive()});`,
    () => `${real()} ~ normal(${real()}, ${positive()})${random.pick(['', ' T[-9, ]', ' T[, 9]', ' T[-9, 9]'])};`,
    () => `${vector()} ~ student_t(4, ${real()}, ${positive()});`,
    () => `${vector()} ~ std_normal();`,
    () => `abs(${real()}) ~ gamma(2, ${positive()});`,
    () => `${random.pick(['0', '1'])} ~ bernoulli_logit(${vector()});`,
    () => `${expression(VECTOR, 1, scope)} ~ multi_normal(${expression(VECTOR, 1, scope)}, diag_matrix([1, 2, 3]'));`,
    () => `{0, 2, 1} ~ poisson_log(${expression(VECTOR, 1, scope)});`,
    () => `${random.pick(['2', '0'])} ~ binomial_logit(5, ${real()});`,
  ])();
}

function conditional(scope: Scope, depth: number): string {
  const { random } = scope;
  const condition = random.chance(0.5) ? `${expression(REAL, 1, scope)} > 0.2` : expression(INT, 1, scope);
  const then = random.chance(0.7) ? block(scope.inside(), depth) : statement(scope.inside(), depth + 1);
  if (random.chance(0.5)) return `if (${condition}) ${then}`;
  return `if (${condition}) ${then} else ${block(scope.inside(), depth)}`;
}

function counted(scope: Scope, depth: number): string {
  const inner = scope.inside({ leaveLoop: true });
  const name = scope.fresh('i');
  const [from, to] = [
    scope.random.pick(['1', '1', '2', index(scope)]),
    scope.random.pick(['3', '3', '2', index(scope)]),
  ];
  inner.declare(name, INT, false, 'data');
  const body = scope.random.chance(0.8) ? block(inner, depth) : statement(inner, depth + 1);
  return `for (${name} in ${from}:${to}) ${body}`;
}

function each(scope: Scope, depth: number): string {
  const inner = scope.inside({ leaveLoop: true });
  const element = scope.random.chance(0.5) ? REAL : randomType(scope.random, 2);
  const container = sameType(element, REAL) && scope.random.chance(0.5) ? VECTOR : arrayOf(element);
  const values = expression(container, 1, scope);
  const name = scope.fresh('e');
  inner.declare(name, element, false, scope.able.parameters ? 'autodiff' : 'data');
  return `for (${name} in ${values}) ${block(inner, depth)}`;
}

/** A `while` that ends. */
function bounded(scope: Scope, depth: number): string {
  const counter = scope.fresh('n');
  const condition = expression(INT, 1, scope);
  const inner = scope.inside({ leaveLoop: true });
  const body = statements(inner, 1 + scope.random.below(2), depth + 1);
  return `{
  int ${counter} = 0;
  while (${counter} < 3 && (${counter} == 0 || ${condition})) {
    ${counter} += 1;
${indent(indent(body))}
  }
}`;
}

function output(scope: Scope): string {
  const { random } = scope;
  const items = random.several(1, 3, () => (random.chance(0.3) ? '"text"' : expression(randomType(random), 1, scope)));
  const kind = random.weighted([
    [8, 'print'],
    [1, 'reject'],
    [1, 'fatal_error'],
  ]);
  const text = `${kind}(${items.join(', ')});`;
  return kind === 'print' ? text : `if (${expression(REAL, 1, scope)} > 3) ${text}`;
}

function procedure(scope: Scope): string {
  const { random, able } = scope;
  const callable = scope.functions.filter(
    ({ name, result: type }) => type.kind === 'void' && (able.target || !name.endsWith('_lp') || scope.isWrong()),
  );
  if (callable.length === 0) return assignment(scope);
  const { name, parameters } = random.pick(callable);
  const args = parameters.map(({ type, level }) => expression(type, 1, scope, level === 'data'));
  return `${callText(name, args, scope)};`;
}
