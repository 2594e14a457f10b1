import assert from 'node:assert/strict';
import { findAlgorithm } from '../../../src/inference/algorithms/registry.js';
import { pool } from '../../../src/inference/diagnostics/chains.js';
import { quantiles } from '../../../src/inference/diagnostics/moments.js';
import { rhat } from '../../../src/inference/diagnostics/rhat.js';
import { createRng } from '../../../src/inference/random/random-stream.js';
import { compileForChains, runChain } from '../../support/chain.js';
import type { Recovery } from './simulate.js';

const SAMPLER = 'hmc_nuts_diag_e_adapt';
const CHAINS = 4;
/** The share of the posterior in each tail beyond its central interval of 99.9 %. */
const TAIL = 0.0005;

/**
 * Samples four chains with default settings. For every parameter, R-hat must be below 1.01, and the true value must be within the central
 * 99.9 % of the posterior. Seeds are fixed.
 */
export function recover({ name, program, simulate }: Recovery): void {
  const compiled = compileForChains(program);
  assert.ok(compiled !== undefined, `${name} does not compile`);
  const { data, truth } = simulate(createRng(2, 1));
  const offset = findAlgorithm(SAMPLER)?.drawColumns.length ?? 0;
  const model = compiled.instantiate(JSON.stringify(data), 1);
  const runs = Array.from({ length: CHAINS }, (_, k) => runChain(SAMPLER, { refresh: 0 }, model, 1, k + 1).draws);
  const names = model.constrainedNames({ transformedParameters: false, generatedQuantities: false });
  for (const [i, parameter] of names.entries()) {
    const chains = runs.map((draws) => Float64Array.from(draws, (draw) => draw[offset + i]));
    const mixing = rhat(chains);
    assert.ok(mixing < 1.01, `R-hat of ${parameter} is ${mixing}`);
    const all = pool(chains);
    const key = parameter.replace(/\.(\d+)/g, '[$1]');
    if (!(key in truth)) continue;
    const [low, high] = quantiles(all, [TAIL, 1 - TAIL]);
    assert.ok(low < truth[key] && truth[key] < high, `${parameter} is ${low} to ${high}, simulated from ${truth[key]}`);
  }
  for (const key of Object.keys(truth)) {
    assert.ok(names.includes(key) || names.includes(key.replace(/\[(\d+)\]/, '.$1')), `there is no ${key}`);
  }
}
