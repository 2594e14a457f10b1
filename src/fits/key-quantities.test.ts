import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyQuantities } from './key-quantities.js';

describe('key quantities', () => {
  it('are quantities that neither simulate nor judge the data', () => {
    const columns = ['lp__', 'mu', 'theta.1', 'theta.2', 'y_rep.1', 'y_rep.2', 'log_lik.1', 'log_lik.2', 'r_squared'];
    assert.deepEqual(keyQuantities(columns), ['mu', 'theta.1', 'theta.2', 'r_squared']);
  });

  it('are found by names with brackets', () => {
    assert.deepEqual(keyQuantities(['theta[1]', 'theta[2]', 'y_rep[1]', 'log_lik[1]', 'lp__']), [
      'theta[1]',
      'theta[2]',
    ]);
  });

  it('are all columns if there are no others', () => {
    assert.deepEqual(keyQuantities(['lp__', 'y_rep.1']), ['lp__', 'y_rep.1']);
  });
});
