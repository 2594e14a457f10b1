import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import type { Rng } from '../random/rng.js';
import { type EvidenceEstimate, estimateEvidence } from './log-evidence.js';

const CHAINS = 4;
const REPLICATES = 60;

/** Draws of each chain, made by `next` from the previous draw. */
function chainsOf(
  seed: number,
  length: number,
  start: (rng: Rng) => number[],
  next: (rng: Rng, x: number[]) => number[],
) {
  return Array.from({ length: CHAINS }, (_, chain) => {
    const rng = createRng(seed, chain + 1);
    let state = start(rng);
    return Array.from({ length }, () => {
      state = next(rng, state);
      return Float64Array.from(state);
    });
  });
}

function estimate(
  logDensity: (x: Float64Array) => number,
  chains: readonly (readonly Float64Array[])[],
  seed: number,
): EvidenceEstimate {
  const draws = chains.map((positions) => ({ positions, logDensities: Float64Array.from(positions, logDensity) }));
  const found = estimateEvidence({ logDensity }, draws, [createRng(seed, 11), createRng(seed, 12)]);
  assert.ok(typeof found !== 'string', `${found}`);
  return found;
}

/** Root mean square of the errors of many estimates, in standard errors. */
function rootMeanSquare(truth: number, estimates: readonly EvidenceEstimate[]): number {
  const squares = estimates.map(({ logEvidence, standardError }) => ((logEvidence - truth) / standardError) ** 2);
  return Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / squares.length);
}

function replicate(make: (seed: number) => EvidenceEstimate): EvidenceEstimate[] {
  return Array.from({ length: REPLICATES }, (_, k) => make(k + 1));
}

/** The logarithm of a gamma(4, 1) variable: the sum of four exponentials. */
const logGamma = (rng: Rng) =>
  Math.log(-Math.log((1 - rng.uniform()) * (1 - rng.uniform()) * (1 - rng.uniform()) * (1 - rng.uniform())));
/** Unnormalized density of the logarithm of a gamma(4, 1) variable; its integral is Γ(4) = 6. */
const ofLogGamma = (x: number) => 4 * x - Math.exp(x);

describe('the log evidence', () => {
  it('is exact for a normal posterior', () => {
    // The proposal is nearly the posterior.
    const chains = chainsOf(
      1,
      500,
      () => [0],
      (rng) => [3 + 2 * rng.normal()],
    );
    const { logEvidence, standardError } = estimate(([x]) => 7 - 0.5 * ((x - 3) / 2) ** 2, chains, 1);
    const truth = 7 + Math.log(2 * Math.sqrt(2 * Math.PI));
    assert.ok(Math.abs(logEvidence - truth) < 0.01);
    assert.ok(standardError < 0.01);
  });

  it('has errors of the size of its standard error for a skewed posterior', () => {
    const draw = (rng: Rng) => [logGamma(rng), logGamma(rng), logGamma(rng)];
    const target = (x: Float64Array) => x.reduce((sum, value) => sum + ofLogGamma(value), 0);
    const found = replicate((seed) =>
      estimate(
        target,
        chainsOf(seed, 250, () => [], draw),
        seed,
      ),
    );
    const ratio = rootMeanSquare(3 * Math.log(6), found);

    assert.ok(ratio > 0.75 && ratio < 1.3, `${ratio}`);
  });

  it('accounts for autocorrelation', () => {
    // An AR(1) process with the coefficient 0.9, mapped to a skewed variable.
    const next = (rng: Rng, [z]: number[]) => [0.9 * z + Math.sqrt(1 - 0.9 ** 2) * rng.normal()];
    const skew = (z: number) => Math.sinh(z + 0.5);
    const target = ([x]: Float64Array) => {
      const z = Math.asinh(x) - 0.5;
      return -0.5 * z * z - 0.5 * Math.log(1 + x * x);
    };
    const found = replicate((seed) => {
      const chains = chainsOf(seed, 1000, (rng) => [rng.normal()], next);
      return estimate(
        target,
        chains.map((chain) => chain.map(([z]) => Float64Array.of(skew(z)))),
        seed,
      );
    });
    const ratio = rootMeanSquare(0.5 * Math.log(2 * Math.PI), found);

    assert.ok(ratio > 0.75 && ratio < 1.3, `${ratio}`);
  });
});

describe('many parameters', () => {
  it('have a proposal whose spurious correlations are removed', () => {
    const draw = (rng: Rng) => Array.from({ length: 60 }, () => rng.normal());
    const target = (x: Float64Array) => x.reduce((sum, value) => sum - 0.5 * value * value, 0);
    const { logEvidence, standardError } = estimate(
      target,
      chainsOf(1, 250, () => [], draw),
      1,
    );
    assert.ok(standardError < 0.05, `${standardError}`);
    assert.ok(Math.abs(logEvidence - 30 * Math.log(2 * Math.PI)) < 4 * standardError);
  });
});

describe('without an estimate', () => {
  const rngs = [createRng(1, 11), createRng(1, 12)] as const;
  const chains = (length: number, size: number) =>
    chainsOf(
      1,
      length,
      () => [],
      (rng) => Array.from({ length: size }, () => rng.normal()),
    );

  it('reports too few draws for a covariance matrix', () => {
    const draws = chains(4, 9).map((positions) => ({ positions, logDensities: new Float64Array(4) }));
    assert.equal(estimateEvidence({ logDensity: () => 0 }, draws, rngs), 'few draws');
  });

  it('reports a posterior without mass near the draws', () => {
    const draws = chains(100, 1).map((positions) => ({ positions, logDensities: new Float64Array(100) }));
    const logDensity = () => Number.NEGATIVE_INFINITY;
    assert.equal(estimateEvidence({ logDensity }, draws, rngs), 'no overlap');
  });
});
