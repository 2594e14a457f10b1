import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { buildModel, compileProgram, readJson } from '../conformance/engine.js';
import { type ReferenceNumber, toNumber } from '../conformance/outcome.js';
import { modelsFolder } from '../reference/stan.js';
import { checkHessianOf } from './agreement.js';

/** Reference models whose second derivatives are differences, and why. */
const BY_DIFFERENCES: Readonly<Record<string, RegExp>> = {
  laplace_disease_map_gp: /embedded Laplace/,
  laplace_poisson_glmm: /embedded Laplace/,
  wiener_drift_variability: /wiener/,
};

/** Where steps are chosen anew at each point, differences are those of other steps: as far apart as the solver's tolerance lets them be. */
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
    it(`${name}: exact, as differences give them, ${tolerance}`, () => {
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
