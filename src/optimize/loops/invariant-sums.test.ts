import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildModel, compileProgram } from '../../../test/conformance/engine.js';
import { verifyStages } from '../../../test/support/verify-stages.js';
import { Builder, Names } from '../../ir/builder.js';
import * as x from '../../ir/expressions.js';
import type { Block, Expr } from '../../ir/nodes.js';
import { printBlock } from '../../ir/print.js';
import { verify } from '../../ir/verify.js';
import { moveInvariantSums } from './invariant-sums.js';

const FORM = { propto: false, jacobian: true };

interface Texts {
  readonly before: string;
  readonly after: string;
}

/** A loop of R iterations over containers v and w, before and after the pass. */
function texts(write: (b: Builder, r: Expr, v: (i: Expr) => Expr, w: (i: Expr) => Expr, K: Expr) => void): Texts {
  const names = new Names();
  const b = new Builder(names);
  const v = b.newRef('real', 1, 'v', 'global');
  const w = b.newRef('real', 1, 'w', 'global');
  const R = x.get(b.newLocal('int', 'R', 'global'));
  const before = b.capture(() =>
    b.each(R, (r) =>
      write(
        b,
        r,
        (i) => x.load(v, i),
        (i) => x.load(w, i),
        x.size(v, 0),
      ),
    ),
  );
  const after: Block = moveInvariantSums(names, before);
  verify(after);
  return { before: printBlock(before), after: printBlock(after) };
}

describe('moveInvariantSums', () => {
  it('moves sums in front of the loop, and terms that read them behind it', () => {
    const { before, after } = texts((b, r, v, w, K) => {
      const sum = b.newLocal('real', 'sum');
      b.assign(sum, x.ZERO);
      b.each(K, (i) => b.assign(sum, x.add(x.get(sum), v(i))));
      b.target(x.mul(w(r), x.lgamma(x.get(sum))));
      b.target(x.lgamma(x.add(x.get(sum), w(r))));
    });
    assert.equal(
      before,
      `for i in 0 .. R {
  sum = 0.0
  for i.2 in 0 .. size(v, 0) {
    sum = sum + v[i.2]
  }
  target += w[i] * lgamma(sum)
  target += lgamma(sum + w[i])
}`,
    );
    assert.equal(
      after,
      `sum = 0.0
for i in 0 .. size(v, 0) {
  sum = sum + v[select_int((i >= 0) && (i < size(v, 0)), i, 0)]
}
iterations = select_int(0 <= (R + -1), R, 0)
factors = 0.0
for i.2 in 0 .. R {
  factors = factors + w[i.2]
  target += lgamma(sum + w[i.2])
}
if iterations > 0 {
  target += factors * lgamma(sum)
}`,
    );
  });
  it('moves loops that add the same terms behind the loop', () => {
    const { before, after } = texts((b, _, v, __, K) => {
      b.each(K, (i) => {
        const t = b.bind(x.log(v(i)), 't');
        b.target(x.mul(t, v(i)));
      });
    });
    assert.equal(
      before,
      `for i in 0 .. R {
  for i.2 in 0 .. size(v, 0) {
    t = log(v[i.2])
    target += t * v[i.2]
  }
}`,
    );
    assert.equal(
      after,
      `iterations = select_int(0 <= (R + -1), R, 0)
for i in 0 .. R {
}
if iterations > 0 {
  for i.2 in 0 .. size(v, 0) {
    t = log(v[i.2])
    target += to_real(iterations) * (t * v[i.2])
  }
}`,
    );
  });
  it('keeps cheap terms, terms that differ between iterations, and loops that read target', () => {
    for (const write of [
      (b: Builder, _: Expr, v: (i: Expr) => Expr): void => b.target(v(x.int(0))),
      (b: Builder, _: Expr, v: (i: Expr) => Expr): void => b.target(x.log(v(x.int(0)))),
      (b: Builder, r: Expr, v: (i: Expr) => Expr): void =>
        b.each(x.int(3), (i) => b.target(x.log(x.add(v(i), x.toReal(r))))),
      (b: Builder, r: Expr, v: (i: Expr) => Expr): void => b.each(r, (i) => b.target(x.log(v(i)))),
      (b: Builder, _: Expr, v: (i: Expr) => Expr): void => {
        b.each(x.int(3), (i) => b.target(x.log(v(i))));
        b.target(x.square({ kind: 'target', type: 'real' }));
      },
    ]) {
      const { before, after } = texts(write);
      assert.equal(after, before);
    }
  });

  const PROGRAM = `data { int R; int K; array[R] vector[K] y; }
parameters { vector<lower=0>[K] alpha; vector<lower=0>[R] b; }
model {
  for (r in 1:R) {
    y[r] ~ dirichlet(alpha);
    target += b[r] * lgamma(sum(alpha));
    for (k in 1:K) target += b[r] * log(alpha[k]);
  }
}`;

  for (const R of [0, 1, 4]) {
    it(`values and gradients are those without the pass for ${R} iterations`, () => {
      verifyStages(PROGRAM);
      const y = Array.from({ length: R }, (_, r) => [0.2 + 0.1 * r, 0.5 - 0.1 * r, 0.3]);
      const [found, expected] = [[], ['moveInvariantSums'] as const].map((without) => {
        const model = buildModel(compileProgram(PROGRAM, { without }), JSON.stringify({ R, K: 3, y }));
        const gradient = new Float64Array(model.dimension);
        const position = Float64Array.from({ length: model.dimension }, (_, k) => Math.sin(1 + k));
        return [model.logDensityGradient(position, gradient, FORM), ...gradient];
      });
      for (const [k, value] of expected.entries()) {
        assert.ok(
          Math.abs(found[k] - value) <= 1e-13 * Math.max(1, Math.abs(value)),
          `${k}: ${found[k]}, not ${value}`,
        );
      }
    });
  }

  it('the check that fails first is reported', () => {
    const program = `data { int R; int K; }
parameters { vector[K] alpha; }
model { for (r in 1:R) { vector[K] y = rep_vector(1.0 / K, K); y ~ dirichlet(alpha); } }`;
    const model = buildModel(compileProgram(program), JSON.stringify({ R: 2, K: 3 }));
    const gradient = new Float64Array(3);
    assert.throws(
      () => model.logDensityGradient(Float64Array.of(1, -1, 2), gradient, FORM),
      /prior sample sizes\[2\] is -1, but must be positive/,
    );
  });
});
