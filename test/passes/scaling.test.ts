import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { analyze } from '../../src/analyze.js';
import { compile, isCompiled } from '../../src/compile.js';
import { loadKernels } from '../../src/node/kernels.js';

const { library } = loadKernels();

/** Programs of about `n` statements whose size alone is hard. */
const PROGRAMS: Readonly<Record<string, (n: number) => string>> = {
  'densities, each in a variable of its own': (n) => `
    data { int N; vector[N] y; }
    parameters { vector[5] b; real<lower=0> s; }
    transformed parameters {
      ${lines(n / 4, (i) => `real t${i} = normal_lpdf(y | b[1], s) + ${i === 0 ? 'b[2]' : `t${i - 1}`};`)}
    }
    model { target += t${n / 4 - 1}; }`,
  'a chain of variables': (n) => `
    parameters { real a; }
    model { ${lines(n, (i) => `real x${i} = exp(${i === 0 ? 'a' : `x${i - 1}`});`)} target += x${n - 1}; }`,
  'one variable assigned again and again': (n) => `
    parameters { real a; }
    model { real x = a; ${lines(n, (i) => `x = x * a + ${i}.5;`)} target += x; }`,
  'elements of a vector assigned one by one': (n) => `
    parameters { vector[10] a; }
    model { vector[10] x = a; ${lines(n, (i) => `x[${1 + (i % 10)}] = x[${1 + ((7 * i) % 10)}] * a[1];`)} target += sum(x); }`,
  'parameters with priors': (n) => `
    parameters { ${lines(n / 2, (i) => `real<lower=${i}> p${i};`)} }
    model { ${lines(n / 2, (i) => `p${i} ~ normal(0, 1);`)} }`,
  'loops with conditions': (n) => `
    data { int N; vector[N] y; }
    parameters { real a; }
    model { ${lines(n / 3, (i) => `for (i in 1:N) if (y[i] > ${i}) { if (i > 3) break; target += a * y[i]; }`)} }`,
  'functions that add up': (n) => `
    functions { ${lines(n / 4, (i) => `real f${i}(real x, vector v) { real y = x; for (k in 1:3) y += v[k]; return y; }`)} }
    parameters { vector[4] v; }
    model { ${lines(n / 4, (i) => `target += f${i}(v[1], v);`)} }`,
};

function lines(n: number, line: (i: number) => string): string {
  return Array.from({ length: Math.floor(n) }, (_, i) => line(i)).join('\n');
}

function cpuOf(run: () => void): number {
  const start = process.cpuUsage();
  run();
  return process.cpuUsage(start).user;
}

/** Of three, so that neither warming up nor collecting garbage counts. */
function leastCpu(run: () => void): number {
  return Math.min(cpuOf(run), cpuOf(run), cpuOf(run));
}

const MOST = 12;
/** Measured so often that what else the machine does hardly counts each time. */
const ATTEMPTS = 3;

describe('four times the program takes less than twelve times the work, where a square would be sixteen', () => {
  const ratio = (work: (text: string) => void, program: (n: number) => string): number => {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < ATTEMPTS && least >= MOST; attempt++) {
      least = Math.min(least, leastCpu(() => work(program(800))) / leastCpu(() => work(program(200))));
    }
    return least;
  };
  for (const [name, program] of Object.entries(PROGRAMS)) {
    it(`to compile ${name}`, () => {
      const found = ratio((text) => assert.ok(isCompiled(compile(text, library))), program);
      assert.ok(found < MOST, `${found.toFixed(1)} times`);
    });
    it(`to warn of ${name}`, () => {
      const found = ratio((text) => assert.deepEqual(analyze(text, { pedantic: true }).errors, []), program);
      assert.ok(found < MOST, `${found.toFixed(1)} times`);
    });
  }
});

describe('depth does not exhaust the stack', () => {
  const compiled = (text: string): boolean => isCompiled(compile(text, library));
  const body = (statements: string): string => `parameters { real a; } model { ${statements} }`;
  it('200 loops or conditions inside one another compile', () => {
    assert.ok(compiled(body(`${lines(200, (i) => `for (i${i} in 1:2) {`)} target += a; ${'}'.repeat(200)}`)));
    assert.ok(compiled(body(`${lines(200, (i) => `if (a > ${i}) {`)} target += a; ${'}'.repeat(200)}`)));
  });
  it('a sum of 900 terms compiles', () => {
    assert.ok(compiled(body(`target += a${' + a'.repeat(900)};`)));
  });
  it('functions that call one another in a chain of 600 compile', () => {
    const functions = lines(600, (i) => `real f${i}(real x) { return ${i === 0 ? 'x' : `f${i - 1}(x) + x`}; }`);
    assert.ok(compiled(`functions { ${functions} } ${body('target += f599(a);')}`));
  });
  it('deeper ones compile or are refused', () => {
    for (const [open, close] of [
      ['exp(', ')'],
      ['(', ')'],
      ['-', ''],
    ]) {
      assert.doesNotThrow(() => compiled(body(`target += ${open.repeat(5000)}a${close.repeat(5000)};`)), open);
    }
    assert.doesNotThrow(() => compiled(body(`target += a${' * a'.repeat(5000)};`)));
    assert.doesNotThrow(() => compiled(body(`${'{'.repeat(600)} target += a; ${'}'.repeat(600)}`)));
  });
});
