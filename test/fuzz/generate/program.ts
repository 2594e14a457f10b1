import { arrayOf, type FunctionParameter, INT, REAL, type Type } from '../../../src/language/types.js';
import type { Random } from '../random.js';
import { expression } from './expressions.js';
import { type Abilities, Scope } from './scope.js';
import { indent, result, statements } from './statements.js';
import { randomType, sizedType, unsizedType } from './types.js';

/**
 * A complete program in which every block, type and statement may occur. It is valid, except for errors that only running it reveals.
 * `faults` is the probability of writing something invalid at each choice.
 */
export function randomProgram(random: Random, faults: number): string {
  const scope = new Scope(random, faults);
  const blocks: string[] = [];
  const add = (title: string, body: string): void => {
    if (body !== '' || random.chance(0.05)) blocks.push(`${title} {\n${indent(body)}\n}`);
  };

  if (random.chance(0.6)) add('functions', random.several(1, 3, () => functionText(scope)).join('\n'));
  if (random.chance(0.7)) add('data', dataText(scope));
  if (random.chance(0.4)) add('transformed data', blockText(scope, { randomNumbers: true }, 'data'));
  if (random.chance(0.9)) add('parameters', parametersText(scope));
  const parameters = { parameters: true };
  if (random.chance(0.4)) {
    add('transformed parameters', blockText(scope, { ...parameters, jacobian: true }, 'autodiff'));
  }
  if (random.chance(0.9)) {
    const inner = scope.inside({ ...parameters, target: true });
    add('model', statements(inner, 1 + random.below(5)));
  }
  if (random.chance(0.4)) add('generated quantities', blockText(scope, { randomNumbers: true }, 'data'));
  return `${blocks.join('\n')}\n`;
}

function dataText(scope: Scope): string {
  const lines = ['int<lower=3, upper=3> N;'];
  scope.declare('N', INT, false, 'data');
  for (let k = scope.random.below(4); k > 0; k--) lines.push(declarationText(scope, 'd', 'data'));
  return lines.join('\n');
}

function parametersText(scope: Scope): string {
  const lines = ['real a;'];
  scope.declare('a', REAL, false, 'autodiff');
  for (let k = scope.random.below(4); k > 0; k--) {
    const type = withoutInts(randomType(scope.random));
    lines.push(declarationText(scope, 'p', 'autodiff', scope.isWrong() ? INT : type));
  }
  return lines.join('\n');
}

/** Parameters must not contain ints. */
function withoutInts(type: Type): Type {
  if (type.kind === 'int') return REAL;
  if (type.kind === 'array') return arrayOf(withoutInts(type.element));
  return type.kind === 'tuple' ? { kind: 'tuple', elements: type.elements.map(withoutInts) } : type;
}

function declarationText(
  scope: Scope,
  prefix: string,
  level: 'data' | 'autodiff',
  type = randomType(scope.random),
): string {
  const text = sizedType(type, scope, true);
  const name = scope.fresh(prefix);
  scope.declare(name, type, false, level);
  return `${text} ${name};`;
}

/** Declarations with values at the top, statements, and any constraints of the declarations. */
function blockText(scope: Scope, able: Partial<Abilities>, level: 'data' | 'autodiff'): string {
  const inner = scope.inside(able);
  const lines: string[] = [];
  const before = inner.variables.length;
  for (let k = 1 + scope.random.below(3); k > 0; k--) {
    const any = randomType(scope.random);
    const type = level === 'data' || scope.isWrong() ? any : withoutInts(any);
    const value = expression(type, 2, inner);
    const name = inner.fresh('t');
    lines.push(`${sizedType(type, inner, scope.random.chance(0.2))} ${name} = ${value};`);
    inner.declare(name, type, true, level);
  }
  const declared = inner.variables.slice(before).map((variable) => ({ ...variable, isWritable: false }));
  lines.push(`{\n${indent(statements(inner.inside(), 1 + scope.random.below(3), 1))}\n}`);
  scope.variables.push(...declared);
  return lines.join('\n');
}

const SUFFIXES = ['', '', '', '', '_lp', '_rng', '_jacobian', '_lpdf'];

/** A function, sometimes with a forward declaration, and sometimes recursive. */
function functionText(scope: Scope): string {
  const { random } = scope;
  const suffix = random.pick(SUFFIXES);
  const isDensity = suffix === '_lpdf';
  const returns: Type = isDensity ? REAL : random.chance(0.15) ? { kind: 'void' } : randomType(random, 1);
  const inner = scope.apart({
    returns,
    parameters: true,
    target: suffix === '_lp',
    randomNumbers: suffix === '_rng',
    jacobian: suffix === '_jacobian',
  });
  const types = random.several(0, 3, () => randomType(random, 1));
  const first: Type = isDensity ? REAL : INT;
  const parameters = [first, ...types].map((type): FunctionParameter & { readonly name: string } => {
    const name = inner.fresh('q');
    const level = random.chance(0.15) ? 'data' : 'autodiff';
    inner.declare(name, type, false, level);
    return { name, type, level };
  });
  const name = `${scope.fresh('f')}${suffix}`;
  const list = parameters.map((p) => `${p.level === 'data' ? 'data ' : ''}${unsizedType(p.type)} ${p.name}`);
  const head = `${unsizedType(returns)} ${name}(${list.join(', ')})`;
  const recursion = !isDensity && returns.kind !== 'void' && random.chance(0.3);
  const again = parameters
    .slice(1)
    .map((p) => (random.chance(0.5) ? p.name : expression(p.type, 1, inner, p.level === 'data')));
  const lines = recursion
    ? [`if (${parameters[0].name} <= 0) ${result(inner)}`, `if (${parameters[0].name} > 3) ${result(inner)}`]
    : [];
  lines.push(statements(inner, random.below(4)));
  if (recursion && random.chance(0.7)) {
    lines.push(`return ${name}(${[`${parameters[0].name} - 1`, ...again].join(', ')});`);
  } else if (!(returns.kind === 'void' && random.chance(0.5)) && !scope.isWrong()) lines.push(result(inner));
  const forward = random.chance(0.1) ? `${head};\n` : '';
  scope.functions.push({ name, parameters, result: returns });
  return `${forward}${head} {\n${indent(lines.filter((line) => line !== '').join('\n'))}\n}`;
}
