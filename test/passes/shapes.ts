/*
 * Programs that are hard only because of their size: each grows with `n` in one direction. Each step of a shape adds the same code, so the
 * work to compile it should grow no faster than n log n.
 */

export type Shape = (n: number) => string;

export function times(n: number, write: (i: number) => string, separator = '\n'): string {
  return Array.from({ length: Math.floor(n) }, (_, i) => write(i)).join(separator);
}

function nested(n: number, write: (inner: string) => string, innermost = 'a'): string {
  let inner = innermost;
  for (let i = 0; i < n; i++) inner = write(inner);
  return inner;
}

const model = (statements: string, parameters = 'real a;', data = 'int N; vector[N] y;'): string =>
  `data { ${data} } parameters { ${parameters} } model { ${statements} }`;

/** Long sequences of statements or declarations. */
const LONG: Readonly<Record<string, Shape>> = {
  'statements with ~': (n) => model(times(n, (i) => `y[1] ~ student_t(${i + 1}, ${i}, 1 + exp(a * ${i}.5));`)),
  'parameters with priors': (n) =>
    model(
      times(n / 2, (i) => `p${i} ~ normal(0, 1);`),
      times(n / 2, (i) => `real<lower=${i}> p${i};`),
    ),
  'vectors with priors': (n) =>
    model(
      times(n / 2, (i) => `v${i} ~ normal(0, ${i + 1});`),
      times(n / 2, (i) => `vector[N] v${i};`),
    ),
  'densities, each in its own variable': (n) =>
    model(
      `${times(n / 2, (i) => `real t${i} = normal_lpdf(y | a, 1) + ${i === 0 ? 'a' : `t${i - 1}`};`)} target += t0;`,
    ),
  'a chain of variables': (n) =>
    model(`${times(n, (i) => `real x${i} = exp(${i === 0 ? 'a' : `x${i - 1}`});`)} target += x${n - 1};`),
  'one variable assigned again and again': (n) =>
    model(`real x = a; ${times(n, (i) => `x = x * a + ${i}.5;`)} target += x;`),
  'elements assigned one by one': (n) =>
    model(
      `vector[9] x = rep_vector(a, 9); ${times(n, (i) => `x[${1 + (i % 9)}] = x[${1 + ((7 * i) % 9)}] * a;`)} target += sum(x);`,
    ),
  'loops with conditions': (n) =>
    model(times(n / 3, (i) => `for (i in 1:N) if (y[i] > ${i}) { if (i > 3) break; target += a * y[i]; }`)),
  'iterations that end early': (n) =>
    model(`for (i in 1:N) { ${times(n / 2, (i) => `if (y[i] > ${i}) continue; target += a * y[i];`)} }`),
  'a loop that is left in many places': (n) =>
    model(`for (i in 1:N) { ${times(n / 2, (i) => `if (y[i] > ${i}) break; target += a * y[i];`)} }`),
  'priors behind one condition': (n) =>
    model(
      `if (c == 1) { ${times(n / 2, (i) => `p${i} ~ normal(0, a);`)} } else { ${times(n / 2, (i) => `p${i} ~ cauchy(0, a);`)} }
      y ~ normal(${times(n / 2, (i) => `p${i}`, ' + ')}, a);`,
      `real<lower=0> a; ${times(n / 2, (i) => `real p${i};`)}`,
      'int N; vector[N] y; int c;',
    ),
  'priors of vectors in one loop': (n) =>
    model(
      `for (i in 1:N) { ${times(n / 2, (i) => `v${i}[i] ~ normal(0, ${i + 1});`)} }`,
      times(n / 2, (i) => `vector[N] v${i};`),
    ),
  'conditions one after the other': (n) =>
    model(`real x = a; ${times(n, (i) => `if (y[1] > ${i}) x = x * a; else x += ${i};`)} target += x;`),
  'loops that are left': (n) =>
    model(`int k = 0; ${times(n / 2, (i) => `while (k < N) { k += 1; target += a * k; if (k > ${i}) break; }`)}`),
  'sums collected in loops': (n) =>
    model(
      `${times(n / 2, (i) => `real s${i} = 0; for (k in 1:N) s${i} += y[k] * a;`)} target += ${times(n / 2, (i) => `s${i}`, ' + ')};`,
    ),
  'products of matrices': (n) =>
    model(`matrix[N, N] x = S; ${times(n / 2, () => 'x = x * S;')} target += sum(x);`, 'matrix[N, N] S;'),
  'reads through an index': (n) =>
    model(
      times(n, (i) => `target += b[k[${i + 1}]];`),
      'vector[N] b;',
      'int N; array[N] int k;',
    ),
  'reads of several elements': (n) =>
    model(
      times(n / 2, (i) => `target += sum(S[k, ${i + 1}]);`),
      'matrix[N, N] S;',
      'int N; array[N] int k;',
    ),
  messages: (n) => model(`${times(n, (i) => `print("a", a, ${i});`)} target += a;`),
  'transformed data': (n) =>
    `data { real y; } transformed data { ${times(n, (i) => `real d${i} = y * ${i} + ${i === 0 ? 'y' : `d${i - 1}`};`)} } parameters { real a; } model { a ~ normal(d0, 1); }`,
  'generated quantities': (n) =>
    `parameters { real a; } model { a ~ normal(0, 1); } generated quantities { ${times(n, (i) => `real g${i} = normal_rng(a, ${i + 1});`)} }`,
};

/** Large statements. */
const WIDE: Readonly<Record<string, Shape>> = {
  'a long sum': (n) => model(`target += ${times(n, (i) => `a * ${i}.5`, ' + ')};`),
  'a loop with a long body': (n) =>
    model(
      `for (n in 1:N) { ${times(n / 2, (i) => `real x${i} = y[n] * a + ${i === 0 ? 'a' : `x${i - 1}`}; target += x${i} * y[n];`)} }`,
    ),
  'a loop that fills many vectors': (n) =>
    model(
      `${times(n / 2, (i) => `vector[N] w${i};`)} for (n in 1:N) { ${times(n / 2, (i) => `w${i}[n] = y[n] * a + ${i === 0 ? 'a' : `w${i - 1}[n]`};`)} } target += sum(w${Math.floor(n / 2) - 1});`,
    ),
  'a loop with many recurrences': (n) =>
    model(
      `${times(n, (i) => `real x${i} = 0;`)} for (n in 1:N) { ${times(n, (i) => `x${i} = x${i} * a + ${i === 0 ? 'y[n]' : `x${i - 1}`};`)} } target += x${n - 1};`,
    ),
  'rows that pass values on backwards': (n) =>
    model(
      `for (m in 1:N) { ${times(n, (i) => `real x${i} = 1;`)} for (k in 1:3) { ${times(n - 1, (i) => `x${i} = x${i + 1} * a;`)} x${n - 1} = y[m]; } target += x0 * a; }`,
    ),
  'rows that pass data on backwards': (n) =>
    model(
      `for (m in 1:N) { ${times(n, (i) => `real x${i} = 1;`)} for (k in 1:3) { ${times(n - 1, (i) => `x${i} = x${i + 1} * y[k];`)} x${n - 1} = y[m]; } target += x0 * a; }`,
    ),
  'ints that double in a loop': (n) =>
    model(
      `for (n in 1:N) { ${times(n, (i) => `int x${i} = ${i === 0 ? 'n' : `x${i - 1} + x${i - 1}`};`)} target += y[n] * a * lgamma(n + a) + x${n - 1}; }`,
    ),
};

/** Depth. */
const DEEP: Readonly<Record<string, Shape>> = {
  'nested exponentials': (n) => model(`target += ${nested(n, (inner) => `exp(0.5 + ${inner})`)};`),
  'nested squares, read twice': (n) => {
    const e = nested(n, (inner) => `square(0.5 + ${inner})`);
    return model(`target += log_inv_logit(${e} - y[1]) + inv_logit(y[1] - ${e});`);
  },
  'nested elementwise functions': (n) =>
    model(`target += sum(${nested(n, (inner) => `exp(0.5 + ${inner})`)});`, 'vector[9] a;'),
  'nested conditions': (n) => model(`${times(n, (i) => `if (a > ${i}) {`)} target += a; ${'}'.repeat(n)}`),
  'nested blocks': (n) =>
    model(
      `${times(n, (i) => `{ real x${i} = a * ${i === 0 ? 'a' : `x${i - 1}`};`)} target += x${n - 1}; ${'}'.repeat(n)}`,
    ),
  'nested mixtures': (n) =>
    model(`target += ${nested(n, (inner) => `log_mix(0.5, normal_lpdf(y | a, 1), ${inner})`)};`),
  'alternatives of alternatives': (n) =>
    model(`real x = a; ${times(n, (i) => `if (y[1] > ${i}) x = x * a; else `)} x += 1; target += x;`),
};

/** Functions, their calls and types. */
const FUNCTIONS: Readonly<Record<string, Shape>> = {
  'functions that add up': (n) =>
    `functions { ${times(n / 4, (i) => `real f${i}(real x, vector v) { real y = x; for (k in 1:3) y += v[k]; return y; }`)} } ${model(times(n / 4, (i) => `target += f${i}(a, y);`))}`,
  'calls of one function': (n) =>
    `functions { real f(real x, vector v) { real y = x; for (k in 1:3) y += v[k] * x; return y; } } ${model(times(n / 4, (i) => `target += f(a * ${i}, y);`))}`,
  'functions that call one another': (n) =>
    `functions { ${times(n, (i) => `real f${i}(real x) { return ${i === 0 ? 'x' : `f${i - 1}(x) + x`}; }`)} } ${model(`target += f${n - 1}(a);`)}`,
  'functions that recurse through one another': (n) =>
    `functions { ${times(n / 4, (i) => `real f${i}(real x, int k);`)} ${times(n / 4, (i) => `real f${i}(real x, int k) { return k > 0 ? f${(i + 1) % Math.floor(n / 4)}(x * 2, k - 1) : x; }`)} } ${model('target += f0(a, 5);')}`,
  'a function that returns in many places': (n) =>
    `functions { real f(real x, int k) { ${times(n, (i) => `if (k == ${i}) return x * ${i};`)} return x; } } ${model('target += f(a, N);')}`,
  'a function that returns from many loops': (n) =>
    `functions { real f(real x, int k) { ${times(n / 4, (i) => `for (i in 1:k) if (x > ${i}) return x * ${i};`)} return x; } } ${model('target += f(a, N);')}`,
  'tuples passed on': (n) =>
    `functions { ${times(n / 4, (i) => `tuple(real, vector) f${i}(tuple(real, vector) x) { return (x.1 + 1, x.2 * x.1); }`)} } ${model(`tuple(real, vector[N]) t = (a, y); ${times(n / 4, (i) => `t = f${i}(t);`)} target += t.1 + sum(t.2);`)}`,
  'nested tuples': (n) =>
    model(
      `${nested(n, (inner) => `tuple(real, ${inner})`, 'real')} t = ${nested(n, (inner) => `(a, ${inner})`)}; target += t${'.2'.repeat(n)};`,
    ),
  'slots of an array of tuples': (n) =>
    model(
      `array[3] tuple(${times(n, () => 'real', ', ')}) t; for (i in 1:3) t[i] = (${times(n, (i) => `a * ${i}`, ', ')}); ${times(n, (i) => `target += t[2].${i + 1};`)}`,
    ),
  'arrays of matrices': (n) =>
    model(
      times(n / 4, (i) => `target += a * sum(m${i}[1, 1]);`),
      'real a;',
      times(n / 4, (i) => `array[${i + 1}, 2] matrix[2, 3] m${i};`),
    ),
  includes: (n) =>
    `${times(n, (i) => (i % 2 === 0 ? '#include prior' : `#include prior // ${i}`))} ${model('target += a;')}`,
};

export const SHAPES: Readonly<Record<string, Shape>> = { ...LONG, ...WIDE, ...DEEP, ...FUNCTIONS };

/** Depth of loops whose lengths are known. */
export const LOOPS: Readonly<Record<string, Shape>> = {
  'nested short loops': (n) =>
    model(`${times(n, (i) => `for (i${i} in 1:3) {`)} target += a * y[i0]; ${'}'.repeat(n)}`),
};

/** The files that the programs include. */
export const INCLUDES: ReadonlyMap<string, string> = new Map([['prior', '// nothing\n']]);
