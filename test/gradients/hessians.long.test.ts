import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { buildModel, compileProgram, readJson } from '../conformance/engine.js';
import { type ReferenceNumber, toNumber } from '../conformance/outcome.js';
import { modelsFolder } from '../reference/stan.js';
import { checkHessianOf } from './agreement.js';

/** Reference models whose second derivatives are differences, and the reasons. */
const BY_DIFFERENCES: Readonly<Record<string, RegExp>> = {
  laplace_disease_map_gp: /embedded Laplace/,
  laplace_poisson_glmm: /embedded Laplace/,
  wiener_drift_variability: /wiener/,
};

/**
 * If a solver chooses steps again at each point, the differences come from different steps, and their errors are as large as the solver's
 * tolerance permits.
 */
const TOLERANCES: Readonly<Record<string, number>> = {
  lotka_volterra_ode: 1e-3,
  ode_sir_tuple_flows: 1e-5,
  sir_epidemic_bdf: 1e-4,
};

interface Expected {
  readonly points: readonly { readonly unconstrained: readonly ReferenceNumber[]; readonly error?: string }[];
}

const folder = modelsFolder();
const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'model.stan')));

describe('second derivatives of the reference models', () => {
  for (const name of names) {
    const tolerance = TOLERANCES[name] ?? 1e-6;
    it(`${name}: exact, agree with differences, ${tolerance}`, () => {
      const text = readFileSync(join(folder, name, 'model.stan'), 'utf8');
      const compiled = compileProgram(text, { secondDerivatives: true });
      const { hessian } = compiled.artifact;
      if (name in BY_DIFFERENCES) {
        assert.ok(hessian?.kind === 'differences');
        assert.match(hessian.reason, BY_DIFFERENCES[name]);
        return;
      }
      assert.equal(hessian?.kind, 'exact');
      const model = buildModel(compiled, readFileSync(join(folder, name, 'data.json'), 'utf8'));
      const { points } = readJson<Expected>(join(folder, name, 'expected.json'));
      const held = points
        .filter(({ error }) => error === undefined)
        .slice(0, 2)
        .map(({ unconstrained }) => checkHessianOf(model, Float64Array.from(unconstrained, toNumber), tolerance));
      assert.ok(model.dimension === 0 || held.some((count) => count > 0.5 * model.dimension ** 2), `held ${held}`);
    });
  }
});

test('a program that is too large with second derivatives has first derivatives and the reason', () => {
  const names = Array.from({ length: 8 }, (_, k) => `a${k}`);
  const calls = names.map((name, k) => {
    const args = names.map((other) => (other === name ? 'rep_vector(1, 2)' : other));
    return `if (n == ${k}) return f(n - 1, ${args.join(', ')});`;
  });
  const sums = Array.from({ length: 10 }, (_, k) => names.map((name) => `sum(sin(${name} + ${k}))`).join(' * '));
  const program = `functions { real f(int n, ${names.map((name) => `vector ${name}`).join(', ')}) {
      ${calls.join('\n')} return ${sums.join(' + ')}; } }
    data { int n; } parameters { ${names.map((name) => `vector[2] p${name};`).join(' ')} }
    model { target += f(n, ${names.map((name) => `p${name}`).join(', ')}); }`;
  const compiled = compileProgram(program, { secondDerivatives: true });
  assert.deepEqual(compiled.artifact.hessian, { kind: 'differences', reason: 'the module would be too large' });
  assert.equal(compiled.wasm.length, compileProgram(program).wasm.length);
});
