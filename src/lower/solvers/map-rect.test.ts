import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../../../test/conformance/engine.js';
import { lowerText } from '../../../test/support/lowered.js';
import { verifyStages } from '../../../test/support/verify-stages.js';
import { printBlock } from '../../ir/print.js';

const JOBS = `functions {
  vector job(vector phi, vector theta, data array[] real x, data array[] int k) {
    vector[k[1]] r;
    if (theta[1] > 3) reject("job refuses ", theta[1]);
    for (i in 1 : k[1]) r[i] = student_t_lpdf(x[i] | 4, phi[1] + theta[1], exp(phi[2])) * theta[2];
    return r;
  }
  vector pair(vector phi, vector theta, data array[] real x, data array[] int k) {
    return [normal_lpdf(x[1 : k[1]] | phi[1] + theta[1], exp(phi[2])), theta[2] * k[1]]';
  }
}
data { int J; array[J, 3] real x; array[J, 1] int k; real w; }
parameters { vector[2] phi; array[J] vector[2] theta; }
`;

const PROGRAM = `${JOBS}model {
  phi ~ normal(0, 1);
  target += 0.5 * sum(map_rect(job, phi, theta, x, k)) + normal_lpdf(theta[1] | 0, 2);
  real s = sum(map_rect(pair, phi, theta, x, k));
  target += s - 1;
  target += w * (sum(map_rect(pair, phi, theta, x, k)) - 2 * s) / 3;
  target += map_rect(job, phi, theta, x, k);
}`;

/** Results of the jobs have 3, 1, 0 and 2 elements. */
const DATA = JSON.stringify({
  J: 4,
  w: 0.7,
  x: [
    [0.3, -1.2, 0.5],
    [1.1, 0.4, -0.6],
    [-0.2, 0.9, 2.1],
    [0.8, -0.3, 0.1],
  ],
  k: [[3], [1], [0], [2]],
});

/** Computed by Stan 2.39. */
const EXPECTED: readonly { readonly point: readonly number[]; readonly value: number; readonly gradient: number[] }[] =
  [
    {
      point: [0.3, -0.2, 0.5, -0.4, 1.1, 0.7, -0.3, 0.2, 0.6, -0.9],
      value: -7.150112289944369,
      gradient: [
        -1.9500196990248793, 1.4127213132440908, -1.5929373950022327, -4.9956384677702532, -0.91144907891104854,
        -0.52838351031254627, 0, 0, 0.72936677488840262, -2.4351248099116294,
      ],
    },
    {
      point: [-0.5, 0.4, -1.2, 0.3, 0.1, -0.6, 0.8, 1.4, -0.7, 0.5],
      value: -16.454386657140887,
      gradient: [
        4.790260668334029, 0.7323636485070103, 2.7509877801621019, -7.112372950249501, -0.088535402695878729,
        -2.1495991116929885, 0, 0, 1.9278082908678049, -4.3273496602441233,
      ],
    },
  ];

const FORM = { propto: true, jacobian: true };

function logDensity(model: string): string {
  const result = lowerText(`${JOBS}model { ${model} }`);
  assert.ok('program' in result);
  return printBlock(result.program.logDensity);
}

describe('sums of map_rect', () => {
  it("have Stan's values and gradients, 1e-13, with results of several sizes", () => {
    verifyStages(PROGRAM);
    for (const options of [{}, { callsAll: true }]) {
      const model = buildModel(compileProgram(PROGRAM, options), DATA);
      for (const { gradient: expected, point, value } of EXPECTED) {
        const gradient = new Float64Array(model.dimension);
        const found = model.logDensityGradient(Float64Array.from(point), gradient, FORM);
        for (const [i, number] of [value, ...expected].entries()) {
          assert.ok(Math.abs([found, ...gradient][i] - number) <= 1e-13 * Math.max(1, Math.abs(number)), `${i}`);
        }
      }
    }
  });

  it("reject with Stan's message if a job rejects", () => {
    const model = buildModel(compileProgram(PROGRAM), DATA);
    const position = Float64Array.from(EXPECTED[0].point).fill(3.6, 8, 9);
    const message = `Exception: Exception: job refuses 3.6 (in 'string', line 4, column 22 to column 55) (in 'string', line 16, column 2 to column 86)`;
    assert.throws(() => model.logDensity(position, FORM), { message });
  });

  it('of no jobs are 0', () => {
    const model = buildModel(
      compileProgram(PROGRAM.replace(/ \+ normal_lpdf.*/, ';')),
      '{"J": 0, "x": [], "k": [], "w": 1}',
    );
    assert.equal(model.logDensity(Float64Array.of(0, 0), FORM), -1);
  });

  it('are accumulated job by job, as terms of target or in a local', () => {
    const jobs = 'map_rect(pair, phi, theta, x, k)';
    for (const terms of [`target += sum(${jobs});`, `target += ${jobs};`]) {
      const text = logDensity(terms);
      assert.doesNotMatch(text, /results|literal/);
      assert.match(text, /for i in 0 \.\. J \{.*\n {4}target \+= -?0\.5 \* .*\n {2}target \+= /s);
    }
    const text = logDensity(`target += exp(sum(${jobs}));`);
    assert.doesNotMatch(text, /results|literal/);
    assert.match(text, /\ntarget \+= exp\(log_density\)$/);
    assert.match(logDensity(`target += map_rect(pair, phi, theta, x, k)[1];`), /allocate real results/);
  });
});
