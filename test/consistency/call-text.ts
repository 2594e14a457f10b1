import type { Type } from '../../src/language/types.js';
import { rankOf, unwindArray } from '../../src/language/types.js';
import { containerRank, type Elementwise, indexesOf } from './elements.js';

/** Number of elements of a container. */
export const ELEMENTS = 6;

/** Different weights for the elements, so that a sum depends on their order. */
const WEIGHTS = [1, 1.3, 0.7, 1.9, 0.4, 1.1];

/**
 * Programs that compute the value of a call with containers (`which` k + 1, `by_elements` 0), with their elements (`by_elements` 1), or
 * with only the scalars at an index (`which` 0, `at`). Element e of argument k is x[6 k + e], of ints n[6 k + e], of complex numbers x[6 k
 * + e] + i x[6 k + 7 - e] / 2.
 */
export function programOf(name: string, calls: readonly Elementwise[]): string {
  const [{ scalars, scalarResult }] = calls;
  const size = scalars.length * ELEMENTS;
  const isData = needsData(calls[0]);
  const x = `vector[${size}] x;`;
  const data = `data { int which; int by_elements; int at; array[${size}] int n; ${isData ? x : ''} }`;
  const parameters = `parameters { ${isData ? '' : x} }`;
  if (name.endsWith('_rng')) return `${data}\n${parameters}\ngenerated quantities { ${draws(name, calls)} }`;
  const scalar = callText(
    name,
    scalars.map((type, k) => element(type, k, 'at')),
  );
  const cases = calls.map((call, k) => `else if (which == ${k + 1}) { ${containerCase(name, call)} }`);
  const body = `if (which == 0) { ${addition(scalarResult, scalar)} } ${cases.join('\n')}`;
  const computed = `{ real total = 0; ${body} }`;
  const blocks = isData ? ['transformed data', computed, parameters] : [parameters, 'transformed parameters', computed];
  return [data, ...blocks, 'model { target += total; }'].join('\n');
}

/** Whether an argument must be data; all arguments are then data. */
export function needsData({ signature }: Elementwise): boolean {
  return signature.parameters.some(({ level }) => level === 'data');
}

/** Adds a scalar value; a complex value is added part by part. */
function addition({ kind }: Type, call: string, weight = '1'): string {
  const value = kind === 'complex' ? `(get_real(${call}) + 1.7 * get_imag(${call}))` : call;
  return `total += ${weight} * ${value};`;
}

function containerCase(name: string, call: Elementwise): string {
  const { signature, scalars, scalarResult, sizes, combination } = call;
  const places = indexesOf(sizes);
  const isFixed = (k: number): boolean => containerRank(signature.parameters[k].type) === 0;
  const elements = places.map((_, e) =>
    callText(
      name,
      scalars.map((type, k) => element(type, k, isFixed(k) ? '1' : `${e + 1}`)),
    ),
  );
  const arguments_ = signature.parameters.map((_, k) => (isFixed(k) ? element(scalars[k], k, '1') : `c${k}`));
  const containers = signature.parameters.flatMap(({ type }, k) =>
    isFixed(k) ? [] : [filled(type, `c${k}`, sizes, (e) => element(scalars[k], k, `${e + 1}`))],
  );
  const whole = callText(name, arguments_);
  if (combination !== 'each') {
    const byElements = elements.join(combination === 'sum' ? ' + ' : ' * ');
    return `if (by_elements) { total += ${byElements}; } else { ${containers.join(' ')} total += ${whole}; }`;
  }
  const added = (values: readonly string[]): string =>
    values.map((value, e) => addition(scalarResult, value, `${WEIGHTS[e]}`)).join(' ');
  const result = `${declared(signature.result, 'r', sizes)} = ${whole};`;
  const results = places.map((place) => `r[${place.join(', ')}]`);
  return `if (by_elements) { ${added(elements)} } else { ${containers.join(' ')} ${result} ${added(results)} }`;
}

/** Draws with containers, and one by one with their elements. */
function draws(name: string, calls: readonly Elementwise[]): string {
  const [{ scalars }] = calls;
  const scalar = callText(
    name,
    scalars.map((type, k) => element(type, k, 'at')),
  );
  const cases = calls.map(({ signature, sizes }, c) => {
    const isFixed = (k: number): boolean => containerRank(signature.parameters[k].type) === 0;
    const one = scalars.map((type, k) => element(type, k, isFixed(k) ? '1' : 'e'));
    const containers = signature.parameters.flatMap(({ type }, k) =>
      isFixed(k) ? [] : [filled(type, `c${k}`, sizes, (e) => element(scalars[k], k, `${e + 1}`))],
    );
    const whole = signature.parameters.map((_, k) => (isFixed(k) ? element(scalars[k], k, '1') : `c${k}`));
    return `else if (which == ${c + 1}) { if (by_elements) { for (e in 1:${ELEMENTS}) draw[e] = ${callText(name, one)}; }
      else { ${containers.join(' ')} draw = to_vector(${callText(name, whole)}); } }`;
  });
  return `vector[${ELEMENTS}] draw; if (which == 0) { draw[1] = ${scalar}; } ${cases.join('\n')}`;
}

function callText(name: string, args: readonly string[]): string {
  const isDensity = /_(lpdf|lpmf|cdf|lcdf|lccdf)$/.test(name);
  return isDensity ? `${name}(${args[0]} | ${args.slice(1).join(', ')})` : `${name}(${args.join(', ')})`;
}

/** Element `e`, an expression that counts from 1, of argument `k`. */
function element({ kind }: Type, k: number, e: string): string {
  const start = k * ELEMENTS;
  if (kind === 'int') return `n[${start} + ${e}]`;
  if (kind === 'complex') return `to_complex(x[${start} + ${e}], 0.5 * x[${start + ELEMENTS + 1} - ${e}])`;
  return `x[${start} + ${e}]`;
}

function declared(type: Type, name: string, sizes: readonly number[]): string {
  const { element: inner, depth } = unwindArray(type);
  const own = inner.kind === 'complex' ? 0 : rankOf(inner);
  const innerSizes = own === 0 ? '' : `[${sizes.slice(depth).join(', ')}]`;
  const array = depth === 0 ? '' : `array[${sizes.slice(0, depth).join(', ')}] `;
  return `${array}${inner.kind}${innerSizes} ${name}`;
}

function filled(type: Type, name: string, sizes: readonly number[], value: (e: number) => string): string {
  const assignments = indexesOf(sizes).map((place, e) => `${name}[${place.join(', ')}] = ${value(e)};`);
  return `${declared(type, name, sizes)}; ${assignments.join(' ')}`;
}
