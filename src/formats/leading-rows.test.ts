import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countLeadingRows, leadingRowsAmong, leadingRowsIn, leadingRowsOf } from './leading-rows.js';

describe('rows before the draws', () => {
  it('are the mean of an approximation, and all iterations of an optimizer but the last', () => {
    const expected = { meanfield: 1, fullrank: 1, lbfgs: 9, bfgs: 9, newton: 9 };
    for (const [name, count] of Object.entries(expected))
      assert.equal(countLeadingRows(leadingRowsOf(name), 10), count);
    const others = ['hmc_nuts_diag_e_adapt', 'fixed_param', 'laplace_sample', 'pathfinder_lbfgs_multi'];
    for (const name of [...others, 'pathfinder_lbfgs_single', 'standalone_generate', 'diagnose']) {
      assert.equal(countLeadingRows(leadingRowsOf(name), 10), 0, name);
    }
    for (const kind of ['first', 'all but the last'] as const) assert.equal(countLeadingRows(kind, 0), 0);
    assert.equal(countLeadingRows('all but the last', 1), 0);
  });

  it("are recognized by a file's columns if it does not name the function", () => {
    assert.equal(leadingRowsIn(['lp__', 'log_p__', 'log_g__', 'mu'], Float64Array.of(0, 0, 0, 1)), 'first');
    assert.equal(leadingRowsIn(['lp__', 'converged__', 'mu'], Float64Array.of(-3, 1, 1)), 'all but the last');
    assert.equal(leadingRowsIn(['log_p__', 'log_q__', 'mu'], Float64Array.of(0, 0, 1)), undefined);
    assert.equal(leadingRowsIn(['lp_approx__', 'lp__', 'path__', 'mu'], Float64Array.of(0, 0, 0, 1)), undefined);
    assert.equal(leadingRowsIn(['lp__', 'accept_stat__', 'mu'], Float64Array.of(0, 0, 1)), undefined);
    assert.equal(leadingRowsIn(['mu'], Float64Array.of(0)), undefined);
  });

  it('do not include a draw if a part of a fit has no mean', () => {
    const columns = ['lp__', 'log_p__', 'log_g__', 'mu'];
    for (const name of [undefined, 'stan::services::experimental::advi::meanfield']) {
      assert.equal(leadingRowsIn(columns, Float64Array.of(0, -3, -0.5, 1), name), undefined);
      assert.equal(leadingRowsIn(columns, undefined, name), undefined);
    }
  });

  it('are determined by the function if its own columns are omitted', () => {
    const name = 'stan::services::experimental::advi::fullrank';
    assert.equal(leadingRowsIn(['mu'], Float64Array.of(2), name), 'first');
    assert.equal(leadingRowsIn(['mu'], Float64Array.of(2), 'stan::services::optimize::newton'), 'all but the last');
  });

  it('are not all rows of an optimizer: a part without the optimum is rejected', () => {
    const draw = (...values: number[]) => ({ kind: 'draw', values: Float64Array.from(values) }) as const;
    const end = (how: string) => ({ kind: 'remark', text: `Optimization terminated ${how}: for a reason` }) as const;
    const [normally, withError] = [end('normally'), end('with error')];
    const columns = ['lp__', 'converged__', 'mu'];
    const name = 'stan::services::optimize::newton';
    for (const entries of [
      [draw(-3, 0, 1), draw(-2, 20, 1), normally],
      [draw(-3, 0, 1), draw(-2, -1, 1), withError],
      // A run that was stopped.
      [draw(-3, 0, 1), draw(-2, 0, 1)],
    ]) {
      assert.equal(leadingRowsAmong(columns, entries), 'all but the last');
    }
    assert.equal(leadingRowsAmong(['mu'], [draw(1), draw(2), normally], name), 'all but the last');
    const rejects = (found: readonly string[], ...entries: Parameters<typeof leadingRowsAmong>[1]): void =>
      assert.throws(() => leadingRowsAmong(found, entries), /without the last one, which is the optimum/);
    rejects(columns, draw(-3, 0, 1), draw(-2, 0, 1), normally);
    rejects(columns, draw(-3, 0, 1), withError);
    rejects(['mu'], draw(1), draw(2), normally);
  });
});
