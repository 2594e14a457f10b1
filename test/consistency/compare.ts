import type { JsonData } from '../../src/formats/stan-json.js';
import type { Model } from '../../src/model/model.js';
import { modelsOf } from '../conformance/engine.js';
import { Random } from '../fuzz/random.js';
import { ELEMENTS, needsData, programOf } from './call-text.js';
import { containerRank, type Elementwise } from './elements.js';

const FORM = { propto: false, jacobian: true };
const OUTPUTS = { transformedParameters: true, generatedQuantities: true };
const REALS = [0.05, 0.2, 0.3, 0.5, 0.7, 0.9, 1, 1.5, 2.5, 4, 10, 0, -0.2, -0.4, -1.2, -3];
const INTS = [1, 2, 0, 3, 5, -1, 8];
/**
 * Number of trials per argument that search for finite values, and of further trials that accept infinite ones, which are the only values
 * of some functions of ints. With eight arguments, few trials satisfy all conditions of `wiener`.
 */
const TRIES_PER_ARGUMENT = 250;
const TOLERANCE = 1e-10;

/** The result of a comparison: differences, and the signatures for which no valid arguments were found. */
export interface Comparison {
  readonly differences: readonly string[];
  readonly untested: number;
  readonly tested: number;
}

/** Compares calls that take containers with calls that take their elements: values and gradients, or draws from the same seed. */
export function compareElements(name: string, calls: readonly Elementwise[]): Comparison {
  const groups = new Map<string, Elementwise[]>();
  for (const call of calls) {
    const key = [needsData(call), ...call.scalars.map(({ kind }) => kind)].join();
    groups.set(key, [...(groups.get(key) ?? []), call]);
  }
  const all = [...groups.values()].map((group) => compareGroup(name, group));
  return {
    differences: all.flatMap(({ differences }) => differences),
    untested: all.reduce((sum, { untested }) => sum + untested, 0),
    tested: all.reduce((sum, { tested }) => sum + tested, 0),
  };
}

/** The same, for signatures whose elements have the same types. */
function compareGroup(name: string, calls: readonly Elementwise[]): Comparison {
  const build = modelsOf(programOf(name, calls));
  const random = new Random(name.length);
  const differences: string[] = [];
  let untested = 0;
  for (const [index, call] of calls.entries()) {
    const found = argumentsFor(build, call, random);
    if (found === null) {
      untested++;
      continue;
    }
    const outcome = (byElements: number): readonly number[] | string => {
      try {
        return numbersOf(build, call, found, { which: index + 1, by_elements: byElements, at: 1 });
      } catch (error) {
        // the same failure, at another location in the program
        if (error instanceof Error) return error.message.replace(/ \(in 'string'.*/s, '');
        throw error;
      }
    };
    const [whole, byElements] = [outcome(0), outcome(1)];
    if (agree(whole, byElements)) continue;
    const text = call.signature.parameters.map(({ type }) => describe(type)).join(', ');
    differences.push(`${name}(${text}) at x = ${[...found.x]}, n = ${found.n}: ${whole}, its elements ${byElements}`);
  }
  return { differences, untested, tested: calls.length - untested };
}

function describe(type: Elementwise['scalars'][number]): string {
  return type.kind === 'array' ? `array[] ${describe(type.element)}` : type.kind;
}

interface Arguments {
  readonly x: readonly number[];
  readonly n: readonly number[];
}

type Build = (data: JsonData) => Model;

/** The value and its gradient, or the draws. */
function numbersOf(
  build: Build,
  call: Elementwise,
  { x, n }: Arguments,
  what: Readonly<Record<'which' | 'by_elements' | 'at', number>>,
): readonly number[] {
  const isData = needsData(call);
  const model = build({ ...what, n: [...n], ...(isData ? { x: [...x] } : {}) });
  const position = Float64Array.from(isData ? [] : x);
  if (call.signature.name.endsWith('_rng')) {
    const out = new Float64Array(model.constrainedNames(OUTPUTS).length);
    model.seedRandom(1, 1);
    model.writeArray(position, out, OUTPUTS);
    return [...out.slice(position.length)];
  }
  const gradient = new Float64Array(position.length);
  return [model.logDensityGradient(position, gradient, FORM), ...gradient];
}

function agree(one: readonly number[] | string, other: readonly number[] | string): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  const scale = (numbers: readonly number[]): number =>
    numbers.reduce((most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most), 1);
  const allowed = TOLERANCE * Math.max(scale(one), scale(other));
  return one.every((x, i) => Object.is(x, other[i]) || x === other[i] || Math.abs(x - other[i]) <= allowed);
}

/** Arguments for which every call with elements has a value, found by trial. */
function argumentsFor(build: Build, call: Elementwise, random: Random): Arguments | null {
  const { signature, scalars } = call;
  const n = new Array<number>(scalars.length * ELEMENTS).fill(0);
  const x = new Array<number>(scalars.length * ELEMENTS).fill(0);
  const fixed = signature.parameters.map(({ type }) => containerRank(type) === 0);
  const mostTries = TRIES_PER_ARGUMENT * scalars.length;
  let tries = 0;
  for (let e = 0; e < ELEMENTS; ) {
    if (tries++ > 2 * mostTries) return null;
    for (let k = 0; k < scalars.length; k++) {
      const at = k * ELEMENTS + e;
      const isGiven = e > 0 && fixed[k];
      n[at] = isGiven ? n[k * ELEMENTS] : random.pick(INTS);
      // no two are equal, so that no derivative is evaluated at a jump
      x[at] = isGiven ? x[k * ELEMENTS] : random.pick(REALS) + random.below(1000) * 1e-5 + 1e-7 * tries;
    }
    if (isFine(build, call, { x, n }, e + 1, tries > mostTries)) e++;
    else if (tries % TRIES_PER_ARGUMENT === 0 && fixed.includes(true)) e = 0;
  }
  return { x, n };
}

function isFine(build: Build, call: Elementwise, given: Arguments, at: number, mayBeInfinite: boolean): boolean {
  try {
    const numbers = numbersOf(build, call, given, { which: 0, by_elements: 0, at });
    if (call.signature.name.endsWith('_rng')) return !Number.isNaN(numbers[0]);
    return mayBeInfinite ? !Number.isNaN(numbers[0]) : numbers.every(Number.isFinite);
  } catch {
    return false;
  }
}
