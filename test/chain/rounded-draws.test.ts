// Draws that were rounded when they were written to a file satisfy their constraints up to their rounding errors.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EngineModel } from '../../src/chain/model-host.js';
import { DrawPositions } from '../../src/chain/positions.js';
import { parseStanData } from '../../src/formats/stan-json.js';
import { compiler, models } from '../../src/node/engine.js';
import { Random } from '../fuzz/random.js';

const PROGRAM = `parameters {
    simplex[5] p;
    array[2] simplex[3] ps;
    tuple(simplex[4], real<lower=0.1>) t;
    ordered[4] o;
    positive_ordered[4] po;
    unit_vector[4] u;
    sum_to_zero_vector[5] z;
    sum_to_zero_matrix[3, 4] zm;
    corr_matrix[4] Omega;
    cov_matrix[3] Sigma;
    cholesky_factor_corr[4] L;
    cholesky_factor_cov[4, 3] C;
    row_stochastic_matrix[2, 3] rs;
    column_stochastic_matrix[3, 2] cs;
    real<lower=0.123456789, upper=0.987654321> b;
    vector<lower=b>[3] above;
    vector<upper=-b / 3>[3] below;
    real<offset=3, multiplier=2> m;
  }`;
const PARAMETERS = { transformedParameters: false, generatedQuantities: false };

function modelOf(program: string): EngineModel {
  const compiled = compiler.compile({ program, includes: {} });
  assert.ok(compiled.compiled, compiled.compiled ? '' : compiled.text);
  const module = new WebAssembly.Module(new Uint8Array(compiled.wasm));
  const options = { seed: 1, print: () => {}, maximumMemory: 2 ** 24 };
  return models.instantiate({ artifact: compiled.artifact, module }, parseStanData('{}'), options);
}

function drawAt(model: EngineModel, position: Float64Array): Float64Array {
  const draw = new Float64Array(model.constrainedNames(PARAMETERS).length);
  model.writeArray(position, draw, PARAMETERS);
  return draw;
}

/** The message of the failure to read a draw, or undefined, and the draw at the position that was read. */
function reread(model: EngineModel, values: Float64Array) {
  const columns = model.constrainedNames(PARAMETERS);
  const position = new Float64Array(model.dimension);
  const positions = new DrawPositions(models, model, { columns, diagnosticColumns: [] });
  const problem = positions.read({ values, diagnostic: undefined }, position)?.message;
  return { problem, draw: problem === undefined ? drawAt(model, position) : values };
}

describe('draws of constrained parameters in a file', () => {
  const model = modelOf(PROGRAM);
  const names = model.constrainedNames(PARAMETERS);

  for (const digits of [17, 16, 12, 8, 6]) {
    for (const radius of [2, 20]) {
      it(`with ${digits} digits are read, up to ${radius} from 0`, () => {
        const random = new Random(digits);
        for (let turn = 0; turn < 40; turn++) {
          const position = Float64Array.from(
            { length: model.dimension },
            () => radius * (random.below(2_000_001) / 1_000_000 - 1),
          );
          const values = drawAt(model, position).map((x) => Number(x.toPrecision(digits)));
          const { draw, problem } = reread(model, values);
          assert.equal(problem, undefined);
          const scale = (name: string) =>
            Math.max(...names.map((each, k) => (each.split('.')[0] === name.split('.')[0] ? Math.abs(values[k]) : 0)));
          for (const [k, name] of names.entries()) {
            const error = Math.abs(draw[k] - values[k]);
            const limit = 40 * Math.max(10 ** -digits, 1e-14) * Math.max(1, scale(name));
            if (radius === 2) assert.ok(error <= limit, `${name}: ${values[k]} became ${draw[k]}`);
          }
        }
      });
    }
  }

  it('beyond their rounding errors are refused, with the values as they are', () => {
    const simplex = modelOf('parameters { simplex[3] p; vector<lower=0.1>[1] x; ordered[2] o; }');
    const problemOf = (...values: number[]) => reread(simplex, Float64Array.from(values)).problem ?? '';
    assert.equal(problemOf(0.2, 0.3, 0.500001, 0.1, 1, 2), '');
    assert.match(problemOf(0.2, 0.3, 0.50001, 0.1, 1, 2), /sum\(Simplex variable\) = 1.00001, but should be 1/);
    assert.match(problemOf(0.2, 0.3, 0.5000012345678, 0.1, 1, 2), /sum\(Simplex variable\) = 1.000001235/);
    assert.match(problemOf(0.2, 0.3, 0.5, 0.0999, 1, 2), /lb_free: Lower bounded variable\[1\] is 0.0999/);
    assert.match(problemOf(0.2, 0.3, 0.5, 0.2, 2, 1.999), /The element at 2 is 1.999/);
  });
});

describe('the inverse of the transforms', () => {
  it("has Stan's tolerance for values other than draws", () => {
    const model = modelOf('parameters { simplex[3] p; }');
    const refused = (last: number) => {
      try {
        model.unconstrain({ p: [0.2, 0.3, last] });
        return false;
      } catch {
        return true;
      }
    };
    assert.deepEqual([0.500001, 0.50000002, 0.500000005].map(refused), [true, true, false]);
  });
});
