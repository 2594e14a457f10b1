import { promotionCost } from '../../../src/language/promotion.js';
import type { Signature } from '../../../src/language/signature.js';
import { INT, REAL, ROW_VECTOR, sameType, type Type } from '../../../src/language/types.js';
import { Library } from './library.js';
import type { Scope, Variable } from './scope.js';
import { randomType } from './types.js';

const LIBRARY = new Library();

/** Functions of real numbers that are finite everywhere. */
const TAME = ['sin', 'cos', 'tanh', 'atan', 'inv_logit', 'square', 'Phi_approx', 'log1p_exp', 'asinh', 'erf', 'cbrt'];

/** Source of an expression of the type, or of one that can be promoted to it. */
export function expression(wanted: Type, depth: number, scope: Scope, dataOnly = false): string {
  const { random } = scope;
  const type = scope.isWrong() ? randomType(random) : wanted;
  if (scope.isWrong())
    return random.pick(['nowhere', 'target()', '"text"', 'unknown(1)', 'x.9', '(1, 2)', '{}', '1[2]']);
  if (depth <= 0)
    return random.chance(0.7)
      ? (read(type, scope, dataOnly) ?? literal(type, 0, scope, dataOnly))
      : literal(type, 0, scope, dataOnly);
  const inner = (of: Type): string => expression(of, depth - 1, scope, dataOnly);
  const made = random.weighted<() => string | undefined>([
    [8, () => read(type, scope, dataOnly)],
    [3, () => literal(type, depth - 1, scope, dataOnly)],
    [6, () => operation(type, inner, scope)],
    [type.kind === 'real' ? 4 : 0, () => `${random.pick(TAME)}(${inner(REAL)})`],
    [4, () => libraryCall(type, depth, scope, dataOnly)],
    [3, () => userCall(type, depth, scope, dataOnly)],
    [1, () => `(${inner(INT)} ? ${inner(type)} : ${inner(type)})`],
    [1, () => `(${inner(type)})`],
    [1, () => selection(type, depth, scope, dataOnly)],
  ])();
  return made ?? literal(type, depth - 1, scope, dataOnly);
}

/** An index that is in range nearly always. */
export function index(scope: Scope): string {
  const { random } = scope;
  if (scope.isWrong()) return random.pick(['0', '4', '1.5', '-1', 'nowhere', '2147483647']);
  const loops = scope.variables.filter(({ name }) => name.startsWith('i')).map(({ name }) => name);
  return random.pick(['1', '2', '3', ...loops, ...loops]);
}

/** A part of a variable: the variable itself, an element, a slot. */
interface Part {
  readonly text: string;
  readonly type: Type;
}

/** The variable, and its elements and slots to a depth of two. */
export function partsOfVariable({ name, type }: Variable, scope: Scope): readonly Part[] {
  const first = inside({ text: name, type }, scope);
  return [{ text: name, type }, ...first, ...first.flatMap((part) => inside(part, scope))];
}

function inside({ text, type }: Part, scope: Scope): readonly Part[] {
  const one = (): string => index(scope);
  const element = (of: Type): Part => ({ text: `${text}[${one()}]`, type: of });
  switch (type.kind) {
    case 'array':
      return [element(type.element)];
    case 'tuple':
      return type.elements.map((slot, k) => ({ text: `${text}.${k + 1}`, type: slot }));
    case 'vector':
    case 'row_vector':
      return [element(REAL)];
    case 'complex_vector':
    case 'complex_row_vector':
      return [element({ kind: 'complex' })];
    case 'matrix':
      return [{ text: `${text}[${one()}, ${one()}]`, type: REAL }, element(ROW_VECTOR)];
    case 'complex_matrix':
      return [
        { text: `${text}[${one()}, ${one()}]`, type: { kind: 'complex' } },
        element({ kind: 'complex_row_vector' }),
      ];
    default:
      return [];
  }
}

function read(type: Type, scope: Scope, dataOnly: boolean): string | undefined {
  const seen = scope.variables.filter(({ level }) => !dataOnly || level === 'data');
  const parts = seen.flatMap((variable) => partsOfVariable(variable, scope));
  const exact = parts.filter((part) => sameType(type, part.type));
  const fitting = exact.length > 0 ? exact : parts.filter((part) => promotionCost(type, part.type) !== undefined);
  return fitting.length === 0 ? undefined : scope.random.pick(fitting).text;
}

const SLICES = [':', '1:3', '{3, 1, 2}', '', '{1, 1, 3}', ':3', '1:'];

/** Several elements of a container of the same type. */
function selection(type: Type, depth: number, scope: Scope, dataOnly: boolean): string | undefined {
  const { random } = scope;
  const slice = (): string => (scope.isWrong() ? '2:9' : random.pick(SLICES));
  const container = expression(type, depth - 1, scope, dataOnly);
  switch (type.kind) {
    case 'array':
    case 'vector':
    case 'row_vector':
    case 'complex_vector':
    case 'complex_row_vector':
      return `(${container})[${slice()}]`;
    case 'matrix':
    case 'complex_matrix':
      return `(${container})[${slice()}, ${slice()}]`;
    default:
      return undefined;
  }
}

/** Source of a literal value. */
export function literal(type: Type, depth: number, scope: Scope, dataOnly = false): string {
  const { random } = scope;
  const element = (of: Type): string =>
    depth > 0 && random.chance(0.4)
      ? expression(of, depth - 1, scope, dataOnly)
      : literal(of, depth - 1, scope, dataOnly);
  const three = (of: Type): string => [element(of), element(of), element(of)].join(', ');
  switch (type.kind) {
    case 'int':
      return random.pick(['1', '2', '3', '0', '4', '-1', '7']);
    case 'real':
      return random.pick(['0.5', '1.0', '-0.3', '2.', '.25', '1e-2', '0.8', '3', 'pi()', '1.2E0']);
    case 'complex':
      return random.pick(['2i', '0.5i', '(1 + 2i)', 'to_complex(0.3, -0.7)', '1.5']);
    case 'row_vector':
      return `[${three(REAL)}]`;
    case 'vector':
      return random.chance(0.5) ? `[${three(REAL)}]'` : `rep_vector(${element(REAL)}, 3)`;
    case 'matrix':
      return random.chance(0.4) ? `diag_matrix(${element({ kind: 'vector' })})` : `[${three(ROW_VECTOR)}]`;
    case 'complex_row_vector':
      return `[1i, ${element({ kind: 'complex' })}, ${element({ kind: 'complex' })}]`;
    case 'complex_vector':
      return `[1i, ${element({ kind: 'complex' })}, ${element({ kind: 'complex' })}]'`;
    case 'complex_matrix': {
      const row: Type = { kind: 'complex_row_vector' };
      return `[[1i, 2, 3], ${element(row)}, ${element(row)}]`;
    }
    case 'array':
      return type.element.kind === 'array' || type.element.kind === 'matrix' || type.element.kind === 'complex_matrix'
        ? `rep_array(${element(type.element)}, 3)`
        : `{${three(type.element)}}`;
    case 'tuple':
      return `(${type.elements.map(element).join(', ')}${type.elements.length === 1 ? ',' : ''})`;
    default:
      return '0';
  }
}

function operation(type: Type, inner: (type: Type) => string, { random }: Scope): string | undefined {
  const operations = LIBRARY.operations(type);
  if (operations.length === 0) return undefined;
  const { operator, operands } = random.pick(operations);
  const [left, right] = operands.map(inner);
  if (right === undefined) return `${operator}(${left})`;
  return random.chance(0.8) ? `(${left} ${operator} ${right})` : `${left} ${operator} ${right}`;
}

function libraryCall(type: Type, depth: number, scope: Scope, dataOnly: boolean): string | undefined {
  const functions = LIBRARY.functions(type);
  const names = [...functions.keys()].filter((name) => isAllowed(name, scope));
  if (names.length === 0) return undefined;
  const name = scope.random.pick(names);
  const signature = scope.random.pick(functions.get(name) ?? []);
  return callText(name, argumentsFor(signature, depth, scope, dataOnly), scope);
}

function isAllowed(name: string, { able, faults }: Scope): boolean {
  if (faults > 0) return true;
  if (name.endsWith('_rng')) return able.randomNumbers;
  if (name.endsWith('_jacobian')) return able.jacobian;
  if (name.endsWith('_lp')) return able.target;
  return !/_lup[dm]f$/.test(name);
}

function argumentsFor(
  signature: Pick<Signature, 'parameters'>,
  depth: number,
  scope: Scope,
  dataOnly: boolean,
): string[] {
  return signature.parameters.map(({ type, level }) =>
    expression(type, depth - 1, scope, dataOnly || level === 'data'),
  );
}

/** `f(a, b)`, or `f(a | b)` for names of densities. */
export function callText(name: string, args: readonly string[], scope: Scope): string {
  const isConditional = /_(?:lpdf|lpmf|lupdf|lupmf|cdf|lcdf|lccdf)$/.test(name) && args.length > 1;
  if (!isConditional || scope.isWrong()) return `${name}(${args.join(', ')})`;
  return `${name}(${args[0]} | ${args.slice(1).join(', ')})`;
}

function userCall(type: Type, depth: number, scope: Scope, dataOnly: boolean): string | undefined {
  const fitting = scope.functions.filter(({ name, result }) => sameType(type, result) && isAllowed(name, scope));
  if (fitting.length === 0) return undefined;
  const called = scope.random.pick(fitting);
  return callText(called.name, argumentsFor(called, depth, scope, dataOnly), scope);
}
