import type { JsonData } from '../../src/formats/stan-json.js';
import { FUNCTIONS } from '../../src/functions/table.js';
import type { Model } from '../../src/model/model.js';
import { modelsOf } from '../conformance/engine.js';
import { Random } from '../fuzz/random.js';
import { misfitOfMasses, misfitOfUniform } from '../random/goodness.js';
import { containerRank } from './elements.js';
import { integrate } from './integrate.js';

const FORM = { propto: false, jacobian: false };
const OUTPUTS = { transformedParameters: true, generatedQuantities: true };
const TOLERANCE = 1e-8;
const TRIES = 300;
const ENDINGS = ['', 'cdf', 'lcdf', 'lccdf'];

/** Parameters of distributions, including edge cases. */
const REALS = [0.05, 0.3, 0.7, 0.95, 1, 2.5, 12, 150, -0.4, -3, 0];
const INTS = [0, 1, 2, 5, 9, 40, -2];
/** Points at which a distribution function is compared with the integral of its density. */
const POINTS = [-40, -4, -1.1, -0.3, 0.02, 0.2, 0.45, 0.8, 1.3, 2.6, 5.5, 13, 70, 160];
const [LEAST_COUNT, MOST_COUNT] = [-5, 40];
/** Number of values of a discrete distribution that are counted separately. */
const MASSES = 400;

/** A univariate distribution, from the functions of the library that have its name. */
export interface Distribution {
  readonly name: string;
  readonly isDiscrete: boolean;
  /** Which of `cdf`, `lcdf` and `lccdf` exist. */
  readonly functions: readonly string[];
  readonly hasRandom: boolean;
  /** The types of its parameters. */
  readonly parameters: readonly ('int' | 'real')[];
}

/** The distributions of the table whose outcomes and parameters are numbers. */
export function distributions(): readonly Distribution[] {
  return [...FUNCTIONS.entries()].flatMap(({ name }): Distribution[] => {
    const [, base, suffix] = /^(.*)_(lpdf|lpmf)$/.exec(name) ?? [];
    const scalar = FUNCTIONS.lookup(name).find(({ parameters }) =>
      parameters.every(({ type, level }) => containerRank(type) === 0 && level !== 'data'),
    );
    if (base === undefined || scalar === undefined) return [];
    const parameters = scalar.parameters.slice(1).map(({ type }) => (type.kind === 'int' ? 'int' : 'real'));
    const has = (ending: string, count: number): boolean =>
      FUNCTIONS.lookup(`${base}_${ending}`).some(
        (other) => other.parameters.length === count && other.parameters.every(({ type }) => containerRank(type) === 0),
      );
    return [
      {
        name: base,
        isDiscrete: suffix === 'lpmf',
        functions: ['cdf', 'lcdf', 'lccdf'].filter((ending) => has(ending, parameters.length + 1)),
        hasRandom: has('rng', parameters.length),
        parameters,
      },
    ];
  });
}

/** Values of the parameters: `a` for reals, `n` for ints. */
interface Setting {
  readonly a: readonly number[];
  readonly n: readonly number[];
}

function randomSetting({ parameters }: Distribution, random: Random): Setting {
  return { a: parameters.map(() => random.pick(REALS)), n: parameters.map(() => random.pick(INTS)) };
}

function describe({ name, parameters }: Distribution, { a, n }: Setting): string {
  return `${name}(${parameters.map((kind, k) => (kind === 'int' ? n[k] : a[k])).join(', ')})`;
}

function argumentsOf({ parameters }: Distribution): string {
  return parameters.map((kind, k) => (kind === 'int' ? `n[${k + 1}]` : `a[${k + 1}]`)).join(', ');
}

/** Values of the functions: `which` 0 is the log density, 1 to 3 are the functions of `ENDINGS`. */
function programOf(distribution: Distribution): string {
  const { name, isDiscrete, parameters, functions } = distribution;
  const args = argumentsOf(distribution);
  const size = parameters.length;
  const outcome = isDiscrete ? ['int y;', ''] : ['', 'real y;'];
  const cases = functions.map(
    (ending) => `else if (which == ${ENDINGS.indexOf(ending)}) target += ${name}_${ending}(y | ${args});`,
  );
  return `data { int which; array[${size}] int n; vector[${size}] a; ${outcome[0]} }
parameters { ${outcome[1]} }
model {
  if (which == 0) target += ${name}_${isDiscrete ? 'lpmf' : 'lpdf'}(y | ${args});
  ${cases.join('\n  ')}
}`;
}

interface Probability {
  readonly ending: string;
  readonly below: number;
}

/** The probability of a value of at most y from each distribution function that has a value; `of` evaluates one of `ENDINGS`. */
function probabilities({ functions }: Distribution, of: (which: number) => number | null): readonly Probability[] {
  return functions.flatMap((ending) => {
    const value = of(ENDINGS.indexOf(ending));
    if (value === null) return [];
    return [{ ending, below: ending === 'cdf' ? value : ending === 'lcdf' ? Math.exp(value) : -Math.expm1(value) }];
  });
}

/**
 * Compares the distribution functions with the integral or sum of the density and with each other, and the derivative with respect to the
 * outcome with the density, at `count` settings of the parameters. Returns the differences; an empty text means that no setting was found.
 */
export function compareWithDensity(distribution: Distribution, count: number): readonly string[] {
  const build = modelsOf(programOf(distribution));
  const random = new Random(distribution.name.length);
  const differences: string[] = [];
  let settings = 0;
  for (let tries = 0; tries < TRIES && settings < count; tries++) {
    const setting = randomSetting(distribution, random);
    const found = distribution.isDiscrete
      ? compareSums(build, distribution, setting)
      : compareIntegrals(build, distribution, setting);
    if (found === null) continue;
    settings++;
    differences.push(...found);
  }
  return settings === 0 ? [''] : differences;
}

type Build = (data: JsonData) => Model;

/** The value of a function; null if the program stops. */
function valueOr(evaluate: () => number): number | null {
  try {
    return evaluate();
  } catch {
    return null;
  }
}

function near(one: number, other: number, scale = 1): boolean {
  return one === other || Math.abs(one - other) <= TOLERANCE * scale;
}

function compareIntegrals(build: Build, distribution: Distribution, { a, n }: Setting): readonly string[] | null {
  const text = describe(distribution, { a, n });
  const models = ENDINGS.map((_, which) => build({ which, a: [...a], n: [...n] }));
  const evaluate = (which: number, y: number): number => models[which].logDensity(Float64Array.of(y), FORM);
  const density = (y: number): number => Math.exp(evaluate(0, y));
  const belowAt = (y: number): readonly Probability[] => probabilities(distribution, (which) => evaluate(which, y));
  const isInside = (y: number): boolean => {
    const probability = valueOr(() => belowAt(y)[0].below);
    return probability !== null && density(y) < Number.POSITIVE_INFINITY;
  };
  const points = POINTS.filter(isInside);
  if (!points.some((y) => density(y) > 0)) return null;
  const differences: string[] = [];
  for (const [k, y] of points.entries()) {
    const slope = new Float64Array(1);
    for (const { ending, below } of belowAt(y)) {
      const value = models[ENDINGS.indexOf(ending)].logDensityGradient(Float64Array.of(y), slope, FORM);
      const derivative = ending === 'cdf' ? slope[0] : (ending === 'lcdf' ? 1 : -1) * slope[0] * Math.exp(value);
      const expected = density(y);
      if (below > 0 && below < 1 && !near(derivative, expected, Math.max(1, expected))) {
        differences.push(
          `${text} at ${y}: the derivative of ${ending} shows a density of ${derivative}, not ${expected}`,
        );
      }
      if (k === 0) continue;
      const integral = integrate(density, points[k - 1], y);
      const before = belowAt(points[k - 1]).find((other) => other.ending === ending)?.below ?? Number.NaN;
      if (!near(integral, below - before)) {
        differences.push(`${text} from ${points[k - 1]} to ${y}: integral ${integral}, ${ending} ${below - before}`);
      }
    }
    const all = belowAt(y).map(({ below }) => below);
    if (!all.every((below) => near(below, all[0]))) differences.push(`${text} at ${y}: probabilities ${all}`);
  }
  return differences;
}

function compareSums(build: Build, distribution: Distribution, { a, n }: Setting): readonly string[] | null {
  const at = (which: number, y: number): number | null =>
    valueOr(() => build({ which, a: [...a], n: [...n], y }).logDensity(new Float64Array(0), FORM));
  const text = describe(distribution, { a, n });
  const differences: string[] = [];
  let sum = 0;
  for (let y = LEAST_COUNT; y <= MOST_COUNT; y++) {
    const logMass = at(0, y);
    sum += Math.exp(logMass ?? Number.NEGATIVE_INFINITY);
    // outside of the support, the functions may reject like the density
    const otherwise = logMass === null || logMass === Number.NEGATIVE_INFINITY ? null : Number.NaN;
    for (const { ending, below } of probabilities(distribution, (which) => at(which, y) ?? otherwise)) {
      if (!near(below, sum)) differences.push(`${text} at ${y}: sum ${sum}, ${ending} ${below}`);
    }
  }
  return sum > 0 ? differences : null;
}

/** Parameters at which draws cannot be compared with the distribution function. */
const NOT_COMPARABLE: ReadonlyMap<string, (setting: Setting) => boolean> = new Map([
  // The variate is in an interval around the location; the distribution function is that of [-π, π].
  ['von_mises', ({ a }: Setting) => a[0] !== 0],
  // At a skewness of 0 or 1 the density is 0 everywhere.
  ['skew_double_exponential', ({ a }: Setting) => a[2] === 0 || a[2] === 1],
]);

/**
 * Compares draws with the distribution at `count` settings of the parameters. Returns the differences; an empty text means that no setting
 * was found.
 */
export function compareDraws(distribution: Distribution, count: number, draws: number): readonly string[] {
  const { name, isDiscrete, parameters } = distribution;
  const args = argumentsOf(distribution);
  const type = isDiscrete ? 'array[draws] int' : 'vector[draws]';
  const build = modelsOf(`data { int draws; array[${parameters.length}] int n; vector[${parameters.length}] a; }
generated quantities { ${type} r; for (i in 1:draws) r[i] = ${name}_rng(${args}); }`);
  const values = modelsOf(programOf(distribution));
  const random = new Random(name.length);
  const differences: string[] = [];
  let settings = 0;
  for (let tries = 0; tries < TRIES && settings < count; tries++) {
    const setting = randomSetting(distribution, random);
    const { a, n } = setting;
    if (NOT_COMPARABLE.get(name)?.(setting)) continue;
    const drawn = drawnFrom(build, { draws, a: [...a], n: [...n] });
    if (drawn === null) continue;
    settings++;
    const misfit = isDiscrete
      ? misfitOfCounts(values, setting, drawn)
      : misfitOfReals(values, distribution, setting, drawn);
    if (misfit !== null) differences.push(`${describe(distribution, setting)}: ${misfit}`);
  }
  return settings === 0 ? [''] : differences;
}

function drawnFrom(build: Build, data: JsonData): Float64Array | null {
  try {
    const model = build(data);
    const out = new Float64Array(model.constrainedNames(OUTPUTS).length);
    model.seedRandom(20_261_125, 1);
    model.writeArray(new Float64Array(0), out, OUTPUTS);
    return out;
  } catch {
    return null;
  }
}

function misfitOfReals(
  build: Build,
  distribution: Distribution,
  { a, n }: Setting,
  drawn: Float64Array,
): string | null {
  const models = ENDINGS.map((_, which) => build({ which, a: [...a], n: [...n] }));
  const u = drawn
    .map((y) => probabilities(distribution, (which) => models[which].logDensity(Float64Array.of(y), FORM))[0].below)
    .sort();
  // equal draws have been rounded to an end of the support
  const from = u[0] === u[1] ? u.find((x) => x > u[0]) : 0;
  const to = u[u.length - 1] === u[u.length - 2] ? u.findLast((x) => x < u[u.length - 1]) : 1;
  if (from === undefined || to === undefined || from >= to) return `all draws are ${drawn[0]}`;
  return misfitOfUniform(u, from, to);
}

function misfitOfCounts(build: Build, { a, n }: Setting, drawn: Float64Array): string | null {
  const least = drawn.reduce((x, y) => Math.min(x, y));
  const most = Math.min(
    least + MASSES,
    drawn.reduce((x, y) => Math.max(x, y)),
  );
  const masses = Array.from({ length: most - least + 1 }, (_, k) =>
    Math.exp(build({ which: 0, a: [...a], n: [...n], y: least + k }).logDensity(new Float64Array(0), FORM)),
  );
  return misfitOfMasses(drawn, least, Float64Array.from(masses));
}
