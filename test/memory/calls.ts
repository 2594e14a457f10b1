import type { Signature } from '../../src/language/signature.js';
import { partsOf, rankOf, showType, type Type, unwindArray } from '../../src/language/types.js';

/** Numbers before, between and after the arguments of a call. */
export const CANARIES = 4;

/**
 * A program that calls a signature with arguments `a0`, `a1`… from the data: in the log density, in which they depend on the parameter
 * unless they must be data, and in generated quantities. Each block contains copies of the arguments with canaries around them, which it
 * checks after the call.
 */
export function programOf(signature: Signature): string {
  const { name, parameters, result } = signature;
  const data = parameters.flatMap(({ type }, k) => [
    ...sizesOf(type, k).map((size) => `int ${size};`),
    `${sized(type, sizesOf(type, k))} a${k};`,
    `vector[${CANARIES}] canary${k + 1};`,
  ]);
  const isRandom = name.endsWith('_rng');
  const isJacobian = name.endsWith('_jacobian');
  const inside = isRandom || isJacobian ? '' : blockOf(signature, 'target += ', '(1 + p)');
  const transformed = isJacobian ? `real value; ${blockOf(signature, 'value = ', '(1 + p)')}` : '';
  const generated = isJacobian ? '' : `real value; ${blockOf(signature, 'value = ', 'exp(0 * p)')}`;
  return `functions { ${isVoid(result) ? '' : `real total(${unsized(result)} r) { real t = 0; ${totalOf(result, 'r')} return t; }`} }
data { vector[${CANARIES}] canary0; ${data.join(' ')} }
parameters { real p; }
transformed parameters { ${transformed} }
model { ${inside} }
generated quantities { ${generated} }
`;
}

function blockOf({ name, parameters }: Signature, use: string, factor: string): string {
  const isDensity = /_(lpdf|lpmf|cdf|lcdf|lccdf)$/.test(name);
  const copies = parameters.map(({ type, level }, k) => (level === 'data' ? '' : copyOf(type, k, factor)));
  const names = parameters.map(({ level }, k) => `${level === 'data' ? 'a' : 'b'}${k}`);
  const list = isDensity ? `${names[0]} | ${names.slice(1).join(', ')}` : names.join(', ');
  const canary = (k: number): string => `vector[${CANARIES}] c${k} = canary${k} * ${factor};`;
  const looks = [...names, ''].map(
    (_, k) => `for (i in 1:${CANARIES}) if (c${k}[i] != canary${k}[i]) reject("canary ${k} has changed");`,
  );
  return `{ ${canary(0)} ${copies.map((copy, k) => `${copy} ${canary(k + 1)}`).join(' ')} ${use} total(${name}(${list})); ${looks.join(' ')} }`;
}

/** `b0` with the elements of `a0`, times a factor that is one. */
function copyOf(type: Type, k: number, factor: string): string {
  const { element, depth } = unwindArray(type);
  const sizes = sizesOf(type, k);
  const declared = sized(type, sizes);
  if (element.kind === 'int') return `${declared} b${k} = a${k};`;
  if (depth === 0) return `${declared} b${k} = a${k} * ${factor};`;
  const indexes = sizes.slice(0, depth).map((_, axis) => `i${axis}`);
  const loops = indexes.map((index, axis) => `for (${index} in 1:${sizes[axis]})`).join(' ');
  const place = `[${indexes.join(', ')}]`;
  return `${declared} b${k}; ${loops} b${k}${place} = a${k}${place} * ${factor};`;
}

/** Names of the sizes of argument `k`. */
export function sizesOf(type: Type, k: number): string[] {
  const { element, depth } = unwindArray(type);
  const rank = element.kind === 'complex' ? depth : rankOf(type);
  return Array.from({ length: rank }, (_, axis) => `n${k}_${axis}`);
}

function sized(type: Type, sizes: readonly string[]): string {
  const { element, depth } = unwindArray(type);
  const inner = sizes.slice(depth);
  const own = inner.length === 0 ? element.kind : `${element.kind}[${inner.join(', ')}]`;
  return depth === 0 ? own : `array[${sizes.slice(0, depth).join(', ')}] ${own}`;
}

function unsized(type: Type): string {
  return showType(type);
}

function isVoid(type: Type): boolean {
  return type.kind === 'void';
}

/** Statements that add all numbers of `value` to `t`. */
function totalOf(type: Type, value: string): string {
  const { element, depth } = unwindArray(type);
  if (depth > 0 && (element.kind === 'int' || element.kind === 'real')) return `t += sum(to_array_1d(${value}));`;
  if (type.kind === 'array') {
    const item = `e${depth}`;
    return `for (${item} in ${value}) { ${totalOf(type.element, item)} }`;
  }
  if (type.kind === 'tuple') return type.elements.map((slot, i) => totalOf(slot, `${value}.${i + 1}`)).join(' ');
  if (type.kind === 'complex') return `t += get_real(${value}) + get_imag(${value});`;
  if (type.kind === 'int' || type.kind === 'real') return `t += ${value};`;
  if (partsOf(type) !== null) return `t += get_real(sum(${value})) + get_imag(sum(${value}));`;
  return `t += sum(${value});`;
}
