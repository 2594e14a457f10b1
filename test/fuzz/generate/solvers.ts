import type { Random } from '../random.js';

/**
 * Random programs around functions that take functions: each type of solver, with further arguments of all types that are data or depend on
 * parameters, in loops, conditions, user functions, recursions and other solvers. Without faults, all values are bounded and smooth, and
 * tolerances are tight, so that central differences are accurate. `faults` is the frequency of faults: in sizes, times, tolerances and step
 * limits, and in functions that reject, print or return NaN.
 */
export function randomSolverProgram(random: Random, faults: number): string {
  return new SolverProgram(random, faults).write();
}

/** Names of real numbers that can be read. */
type Reals = readonly string[];

/** A type of further argument: how it is built from real numbers, and how it is reduced to a real number. */
interface ArgumentKind {
  readonly type: string;
  readonly make: (real: () => string) => string;
  readonly read: (name: string) => string;
}

const KINDS: readonly ArgumentKind[] = [
  { type: 'real', make: (real) => real(), read: (name) => name },
  { type: 'int', make: () => '2', read: (name) => `0.2 * ${name}` },
  { type: 'vector', make: (real) => `[${real()}, ${real()}]'`, read: (name) => `${name}[2]` },
  { type: 'row_vector', make: (real) => `[${real()}, ${real()}, 0.1]`, read: (name) => `sum(${name})` },
  { type: 'matrix', make: (real) => `[[${real()}, 0.2], [${real()}, ${real()}]]`, read: (name) => `${name}[2, 1]` },
  { type: 'array[] real', make: (real) => `{${real()}, ${real()}}`, read: (name) => `${name}[1]` },
  { type: 'array[] int', make: () => '{2, 1}', read: (name) => `0.3 * ${name}[${name}[1]]` },
  { type: 'array[] vector', make: (real) => `{[${real()}, ${real()}]', [0.1, 0.2]'}`, read: (name) => `${name}[1, 2]` },
  {
    type: 'tuple(real, vector)',
    make: (real) => `(${real()}, [${real()}, 0.3]')`,
    read: (name) => `${name}.1 * ${name}.2[1]`,
  },
  {
    type: 'array[] tuple(real, int)',
    make: (real) => `{(${real()}, 1), (${real()}, 2)}`,
    read: (name) => `${name}[2].1`,
  },
  {
    type: 'complex',
    make: (real) => `to_complex(${real()}, ${real()})`,
    read: (name) => `get_imag(${name} * ${name})`,
  },
];

/** A type of solver: writes its callback and returns a call of it, which is a real. */
type Family = (reals: () => string, depth: number) => string;

class SolverProgram {
  readonly #random: Random;
  readonly #faults: number;
  readonly #functions: string[] = [];
  #names = 0;

  constructor(random: Random, faults: number) {
    this.#random = random;
    this.#faults = faults;
  }

  write(): string {
    const random = this.#random;
    const data: Reals = ['d', 'e[1]', 'e[2]', '0.4'];
    const all: Reals = [...data, 'a', 'b', 'c[1]', 'c[2]', 'a', 'r', 'exp(b)'];
    const model = random.several(1, 2, () => this.#statement(all)).join('\n  ');
    const transformed = random.chance(0.15) ? `real g = ${this.#call(data, 0)};` : 'real g = 0.7;';
    const generated = random.chance(0.15) ? `real q = ${this.#call([...data, 'a', 'b'], 0)};` : '';
    return `functions {
  real chain(real x, int n) { if (n <= 0) return x; return sin(chain(0.7 * x, n - 1)) + 0.1; }
  ${this.#functions.join('\n  ')}
}
transformed data {
  real d = 0.3;
  vector[2] e = [0.2, -0.5]';
  ${transformed}
}
parameters {
  real a;
  real<lower=-1, upper=2> b;
  vector[2] c;
}
model {
  real r = a * g;
  target += -0.5 * (square(a) + dot_self(c)) + b;
  ${model}
  target += r;
}
generated quantities {
  ${generated}
}
`;
  }

  #fresh(prefix: string): string {
    return `${prefix}${++this.#names}`;
  }

  #goesWrong(): boolean {
    return this.#random.chance(this.#faults);
  }

  /** A statement that adds to `target` or changes `r`. */
  #statement(reals: Reals): string {
    const random = this.#random;
    const depth = random.chance(0.25) ? 1 : 0;
    const call = this.#call(reals, depth);
    const n = this.#fresh('n');
    return random.weighted<() => string>([
      [4, () => `target += ${call};`],
      [2, () => `r += 0.5 * tanh(${call});`],
      [2, () => `for (${n} in 1 : 2) r += 0.3 * sin(${call} + 0.2 * ${n});`],
      [2, () => `for (${n} in 1 : 3) { if (${n} == 2) continue; target += 0.5 * ${call}; }`],
      [1, () => `if (d > 0) { target += ${call}; } else { r = ${call}; }`],
      [2, () => this.#wrapped(call, reals)],
      [1, () => this.#recursive()],
      [1, () => this.#reaching()],
      [1, () => `{ int ${n} = 0; while (${n} < 2) { r = 0.6 * cos(${call} + r); ${n} += 1; } }`],
    ])();
  }

  /** A user function with an early return and a call. */
  #wrapped(call: string, reals: Reals): string {
    const name = this.#fresh('wrapped');
    const inner = this.#call(['x', 'z[1]', 'x * z[2]', '0.3'], 0);
    this.#functions.push(`real ${name}(real x, vector z, int n) { if (n < 1) return x; return x + ${inner}; }`);
    const x = this.#random.pick(reals);
    return `target += ${name}(${x}, [${this.#random.pick(reals)}, 0.1]', 1) * 0.5 + ${name}(${call}, c, 0);`;
  }

  /** A recursive function that contains a call. */
  #recursive(): string {
    const name = this.#fresh('again');
    const inner = this.#call(['x', '0.3', '0.5 * x'], 0);
    this.#functions.push(
      `real ${name}(real x, int n) { if (n < 1) return x; return ${name}(0.5 * tanh(${inner}), n - 1); }`,
    );
    return `target += ${name}(a, 2) + ${name}(d, 1);`;
  }

  /** A function that calls itself in an argument of a solver. */
  #reaching(): string {
    const [name, inner] = [this.#fresh('reaching'), this.#fresh('inner')];
    const solver = this.#random.pick(['solve_newton', 'solve_powell', 'ode_rk45', 'ode_adams', 'ode_bdf']);
    const isOde = solver.startsWith('ode');
    const variables = isOde ? 'real t, vector y' : 'vector y';
    const first = isOde ? 's - 0.5 * y[1]' : 'y[1] - 0.3 * s';
    const problem = isOde ? `[x, 0.2]', 0, {0.3}, ${this.#tolerances()}` : `[x, 0.1]', 1e-9, 1e-9, 200`;
    this.#functions.push(
      `real ${name}(real x, int n);`,
      `vector ${inner}(${variables}, real x, int n) { real s = tanh(0.4 * ${name}(${this.#real(['y[1]', 'x'])}, n) + 0.3 * x); return ${this.#pair(first, 'y[2] - 0.2 * tanh(y[1])')}; }`,
      `real ${name}(real x, int n) { if (n < 1) return 0.3 * x; return sum(${solver}_tol(${inner}, ${problem}, x, n - 1)${isOde ? '[1]' : ''}); }`,
    );
    return `target += ${name}(a, 2) + ${name}(d, 1);`;
  }

  /** An expression that stays within a few units. */
  #real(reals: Reals, depth = 2): string {
    const random = this.#random;
    const again = (): string => this.#real(reals, depth - 1);
    if (depth === 0) return random.pick(reals);
    return random.weighted<() => string>([
      [4, () => random.pick(reals)],
      [2, () => `sin(${again()})`],
      [2, () => `tanh(${again()} + ${again()})`],
      [2, () => `0.5 * inv_logit(${again()} * ${again()})`],
      [1, () => `chain(${again()}, 2)`],
      [1, () => `log1p_exp(${again()})`],
      [1, () => `mdivide_left([[2, 0.1], [tanh(${again()}), 1.5]], [${again()}, 0.5]')[2]`],
      [1, () => `normal_lpdf(${again()} | 0.2, 2)`],
      [1, () => `gamma_p(1 + exp(tanh(${again()})), 1 + square(tanh(${again()})))`],
    ])();
  }

  /** Further arguments: their declarations, the arguments passed, and expressions that read them. */
  #shared(reals: () => string): { readonly declared: string; readonly given: string; readonly read: Reals } {
    const shared = this.#random.several(0, 3, () => {
      const kind = this.#random.pick(KINDS);
      const name = this.#fresh('p');
      const source = this.#random.chance(0.4) ? () => '0.35' : reals;
      return { declared: `, ${kind.type} ${name}`, given: `, ${kind.make(source)}`, read: kind.read(name) };
    });
    return {
      declared: shared.map(({ declared }) => declared).join(''),
      given: shared.map(({ given }) => given).join(''),
      read: shared.map(({ read }) => read),
    };
  }

  /** Statements of a callback that compute a real `s` from what it reads, and may call another solver. */
  #body(reals: Reals, depth: number): string {
    const random = this.#random;
    const parts = [`real s = ${this.#real(reals)};`];
    if (random.chance(0.3)) parts.push(`for (i in 1 : 2) s += 0.3 * sin(s + 0.2 * i);`);
    if (random.chance(0.2)) parts.push(`for (i in 1 : 4) { if (i > 2) break; s = tanh(s) + 0.1 * i; }`);
    if (depth > 0) parts.push(`s += 0.2 * tanh(${this.#call([...reals, 's'], depth - 1)});`);
    if (this.#goesWrong()) {
      parts.push(
        random.pick([
          'reject("no: ", s);',
          'print("s is ", s);',
          's = not_a_number();',
          's = exp(100 * s);',
          's /= 0;',
          'if (s > 0.1) reject("too much");',
          'while (s < 1e300) s = s;',
        ]),
      );
    }
    parts.push('s = tanh(s);');
    return parts.join(' ');
  }

  /** The two given elements, or a wrong number of elements. */
  #pair(first: string, second: string): string {
    return this.#goesWrong() ? `[${first}]'` : `[${first}, ${second}]'`;
  }

  #times(first: number): string {
    if (this.#goesWrong())
      return this.#random.pick(['{0.5, 0.2}', '{-1, 2}', '{not_a_number(), 1}', '{1, 1e9}', '{0.1, 0.1}']);
    return `{${first}, ${first + 0.4}}`;
  }

  #tolerances(): string {
    if (!this.#goesWrong()) return '1e-8, 1e-8, 10000';
    return this.#random.pick([
      '0, 1e-8, 1000',
      '1e-8, -1, 100',
      '1e-8, 1e-8, 1',
      '1e-8, 1e-8, 0',
      '1e-15, 1e-300, 200',
      '1e3, 1e3, 5',
    ]);
  }

  #call(reals: Reals, depth: number): string {
    const real = (): string => this.#real(reals, 1);
    const family = this.#random.weighted<Family>([
      [6, (...given) => this.#ode(...given)],
      [2, (...given) => this.#olderOde(...given)],
      [2, (...given) => this.#dae(...given)],
      [4, (...given) => this.#algebraic(...given)],
      [2, (...given) => this.#integral(...given)],
      [1, (...given) => this.#mapped(...given)],
      [2, (...given) => this.#reduced(...given)],
      [1, (inner) => this.#laplace(inner)],
    ]);
    return family(real, depth);
  }

  #ode(real: () => string, depth: number): string {
    const random = this.#random;
    const name = this.#fresh('slope');
    const { declared, given, read } = this.#shared(real);
    const body = this.#body(['t', 'y[1]', 'y[2]', ...read], depth);
    const slope = this.#pair('s - 0.5 * y[1]', 'tanh(y[1]) - 0.4 * y[2]');
    this.#functions.push(`vector ${name}(real t, vector y${declared}) { ${body} return ${slope}; }`);
    const [start, states] = [random.pick(['0', '0', `0.1 * tanh(${real()})`]), `[${real()}, ${real()}]'`];
    const problem = `${name}, ${states}, ${start}, ${this.#times(0.5)}`;
    if (random.chance(0.1)) {
      const two = 'rep_vector(1e-9, 2)';
      const controls = `1e-9, ${two}, 1e-9, ${two}, 1e-9, 1e-9, 10000, 100, 1, ${random.pick(['1, 1', '2, 2'])}`;
      return `sum(ode_adjoint_tol_ctl(${problem}, ${controls}${given})[2])`;
    }
    const solver = random.pick(['ode_rk45', 'ode_ckrk', 'ode_bdf', 'ode_adams']);
    return `sum(${solver}_tol(${problem}, ${this.#tolerances()}${given})[${random.pick(['1', '2'])}])`;
  }

  #olderOde(real: () => string, depth: number): string {
    const name = this.#fresh('slopes');
    const reads = ['t', 'y[1]', 'y[2]', 'theta[1]', 'x_r[1]', '0.1 * x_i[1]'];
    this.#functions.push(
      `array[] real ${name}(real t, array[] real y, array[] real theta, data array[] real x_r, data array[] int x_i) { ${this.#body(reads, depth)} return {s - 0.5 * y[1], tanh(y[1]) - 0.4 * y[2]}; }`,
    );
    const solver = this.#random.pick(['rk45', 'bdf', 'adams']);
    const args = `{${real()}, ${real()}}, 0, ${this.#times(0.4)}, {${real()}}, {0.3}, {2}, ${this.#tolerances()}`;
    return `sum(integrate_ode_${solver}(${name}, ${args})[2])`;
  }

  #dae(real: () => string, depth: number): string {
    const [rate, name] = [this.#fresh('rate'), this.#fresh('residual')];
    const { declared, given, read } = this.#shared(real);
    const passed = declared.replace(/, (?:array\[\] )?(?:tuple\([^)]*\)|\w+(?:\[\])?) (\w+)/g, ', $1');
    this.#functions.push(
      `real ${rate}(real t, vector y${declared}) { ${this.#body(['t', 'y[1]', ...read], depth)} return s - 0.5 * y[1]; }`,
      `vector ${name}(real t, vector y, vector yp${declared}) { return ${this.#pair(
        `yp[1] - ${rate}(t, y${passed})`,
        'y[2] - 0.5 * y[1] - 0.2 * sin(t)',
      )}; }`,
    );
    const first = real();
    const states = `[${first}, 0.5 * (${first})]'`;
    const slope = `${rate}(0, ${states}${given})`;
    const initial = `${states}, [${slope}, 0.5 * ${slope} + ${this.#goesWrong() ? '3' : '0.2'}]'`;
    return `sum(dae_tol(${name}, ${initial}, 0, ${this.#times(0.3)}, ${this.#tolerances()}${given})[2])`;
  }

  #algebraic(real: () => string, depth: number): string {
    const random = this.#random;
    const name = this.#fresh('system');
    if (random.chance(0.2)) {
      const body = this.#body(['x[1]', 'theta[1]', 'x_r[1]', '0.1 * x_i[1]'], depth);
      this.#functions.push(
        `vector ${name}(vector x, vector theta, data array[] real x_r, data array[] int x_i) { ${body} return ${this.#pair('x[1] - 0.3 * s', 'x[2] - 0.2 * x[1] - theta[2]')}; }`,
      );
      const solver = random.pick(['algebra_solver', 'algebra_solver_newton']);
      return `sum(${solver}(${name}, [0.1, 0.2]', [${real()}, ${real()}]', {0.3}, {2}, 1e-9, 1e-9, 200))`;
    }
    const { declared, given, read } = this.#shared(real);
    const body = this.#body(['x[1]', 'x[2]', ...read], depth);
    const residual = this.#pair('x[1] - 0.3 * s', `x[2] - 0.2 * tanh(x[1] + s)`);
    this.#functions.push(`vector ${name}(vector x${declared}) { ${body} return ${residual}; }`);
    const solver = random.pick(['solve_newton', 'solve_powell']);
    const tolerances = this.#goesWrong()
      ? random.pick(['-1, 1e-9, 9', '1e-9, 1e-9, 1', '1e-9, 1e-300, 50'])
      : '1e-9, 1e-9, 200';
    return `sum(${solver}_tol(${name}, [${real()}, 0.1]', ${tolerances}${given}))`;
  }

  #integral(real: () => string, depth: number): string {
    const random = this.#random;
    const name = this.#fresh('integrand');
    const limits = this.#goesWrong()
      ? random.pick(['1, 0', 'positive_infinity(), positive_infinity()', 'not_a_number(), 1'])
      : random.pick(['0, 1', `tanh(${real()}), 2`, `-1, 1.5 + 0.1 * tanh(${real()})`, '0, positive_infinity()']);
    const integrand = (declared: string, read: Reals): string =>
      `real ${name}(real x, real xc${declared}) { ${this.#body(['x', ...read], depth)} return exp(-square(x)) * (1 + 0.3 * s); }`;
    if (random.chance(0.5)) {
      const read = ['theta[1]', 'theta[2]', 'x_r[1]', '0.1 * x_i[1]'] as const;
      this.#functions.push(integrand(', array[] real theta, data array[] real x_r, data array[] int x_i', read));
      return `integrate_1d(${name}, ${limits}, {${real()}, ${real()}}, {0.3}, {2}, 1e-8)`;
    }
    const { declared, given, read } = this.#shared(real);
    this.#functions.push(integrand(declared, read));
    const solver = random.pick(['integrate_1d_gauss_kronrod', 'integrate_1d_double_exponential']);
    const controls = this.#goesWrong() ? random.pick(['1e-8, -1, 9', '1e-8, 0, -1', '1e-14, 0, 0']) : '1e-8, 1e-12, 12';
    return `${solver}_tol(${name}, ${limits}, ${controls}${given})`;
  }

  #mapped(real: () => string, depth: number): string {
    const name = this.#fresh('job');
    const body = this.#body(['phi[1]', 'theta[1]', 'x_r[1]', '0.1 * x_i[1]'], depth);
    this.#functions.push(
      `vector ${name}(vector phi, vector theta, data array[] real x_r, data array[] int x_i) { ${body} return [s, phi[2] * s]'; }`,
    );
    const jobs = this.#goesWrong() ? `{[${real()}]'}` : `{[${real()}]', [${real()}]'}`;
    return `sum(map_rect(${name}, [${real()}, 0.4]', ${jobs}, {{0.3}, {0.1}}, {{1}, {2}}))`;
  }

  /** Its likelihood requires derivatives of higher order, so Stan does not permit another solver in it. */
  #laplace(real: () => string): string {
    const random = this.#random;
    const [name, covariance] = [this.#fresh('likelihood'), this.#fresh('covariance')];
    const { declared, given, read } = this.#shared(real);
    const body = this.#body(['u', ...read], 0);
    this.#functions.push(
      `real ${name}(vector theta, real u, int k${declared}) { ${body} return poisson_log_lpmf({k, 1} | theta + 0.2 * s) - 0.1 * dot_self(theta); }`,
      `matrix ${covariance}(real u, real w) { return [[1 + exp(u), 0.2], [0.2, 1.5 + tanh(w)]]; }`,
    );
    const likelihood = `${name}, (${real()}, ${this.#goesWrong() ? '-1' : '2'}${given})`;
    const controls = `([0, 0]', 1e-10, 200, ${random.pick(['1', '2', '3'])}, 100, 0)`;
    const block = this.#goesWrong() ? '3' : random.pick(['1', '2']);
    return `laplace_marginal_tol(${likelihood}, ${block}, ${covariance}, (${real()}, ${real()}), ${controls})`;
  }

  #reduced(real: () => string, depth: number): string {
    const name = this.#fresh('part');
    const { declared, given, read } = this.#shared(real);
    const body = this.#body(['x[1]', '0.1 * first', ...read], depth);
    this.#functions.push(
      `real ${name}(array[] real x, int first, int last${declared}) { ${body} return s * sum(x) / (last - first + 1); }`,
    );
    const grain = this.#goesWrong() ? '0' : '1';
    const solver = this.#random.pick(['reduce_sum', 'reduce_sum_static']);
    return `${solver}(${name}, {${real()}, ${real()}, 0.2}, ${grain}${given})`;
  }
}
