import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRng } from '../random/random-stream.js';
import { UniformRanks } from './rank-uniformity.js';

it('p-values of uniform ranks are uniform', () => {
  const uniform = new UniformRanks(100, 99);
  const rng = createRng(7, 1);
  const probabilities = Array.from(
    { length: 1000 },
    () => uniform.of(Array.from({ length: 100 }, () => Math.floor(rng.uniform() * 100))).probability,
  );
  for (const level of [0.05, 0.2, 0.5]) {
    const share = probabilities.filter((probability) => probability <= level).length / 1000;
    assert.ok(Math.abs(share - level) < 4 * Math.sqrt((level * (1 - level)) / 1000) + 0.01, `${share} at ${level}`);
  }
});

it('ranks that are too high or too central have small p-values', () => {
  const uniform = new UniformRanks(200, 99);
  const rng = createRng(3, 1);
  const high = Array.from({ length: 200 }, () => Math.floor(Math.sqrt(rng.uniform()) * 100));
  const middle = Array.from({ length: 200 }, () => Math.floor(((rng.uniform() + rng.uniform()) / 2) * 100));
  assert.ok(uniform.of(high).probability < 0.001);
  assert.ok(uniform.of(middle).probability < 0.001);
});

it('the band contains all differences for equal numbers of ranks, and widens for fewer ranks', () => {
  const uniform = new UniformRanks(100, 99);
  const { differences } = uniform.of(Array.from({ length: 100 }, (_, rank) => rank));
  assert.ok(differences.every((difference) => Math.abs(difference) < 1e-12));
  assert.equal(uniform.band(0.95).length, differences.length);
  const fewer = new UniformRanks(50, 99).band(0.95);
  for (const [k, width] of uniform.band(0.95).entries()) assert.ok(width < fewer[k]);
});
