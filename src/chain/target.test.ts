import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseStanData } from '../formats/stan-json.js';
import { compiler, models } from '../node/engine.js';
import { ModelTarget } from './target.js';

/** A recurrence whose number of iterations grows with x; the reverse sweep needs all of them. */
const ROUNDS = `parameters { real x; }
  model {
    real y = x;
    int n = 0;
    while (n < exp(x)) { y = 0.5 * y + sin(y); n += 1; }
    y ~ std_normal();
  }`;

function targetOf(text: string): ModelTarget {
  const compiled = compiler.compile({ program: text, includes: {} });
  assert.ok(compiled.compiled, compiled.compiled ? '' : compiled.text);
  const module = new WebAssembly.Module(new Uint8Array(compiled.wasm));
  const options = { seed: 1, print: () => {}, maximumMemory: 2 ** 22 };
  const model = models.instantiate({ artifact: compiled.artifact, module }, parseStanData('{}'), options);
  return new ModelTarget(models, model, [], 1, 1);
}

describe('a position that needs more memory than the limit', () => {
  const far = Float64Array.of(14);
  const gradient = new Float64Array(1);
  const told = /needs more memory than the limit of 4194304 bytes/;

  it('is rejected if gradients elsewhere have found enough', () => {
    const target = targetOf(ROUNDS);
    assert.ok(Number.isFinite(target.logDensityGradient(Float64Array.of(0), gradient)));
    assert.ok(Number.isNaN(target.logDensityGradient(far, gradient)));
    assert.equal(target.failure?.kind, 'rejection');
    assert.match(target.failure?.message ?? '', told);
    assert.ok(Number.isFinite(target.logDensityGradient(Float64Array.of(1), gradient)));
    assert.equal(target.failure, undefined);
  });

  it('is an error if no gradient has', () => {
    const target = targetOf(ROUNDS);
    assert.ok(Number.isNaN(target.logDensityGradient(far, gradient)));
    assert.equal(target.failure?.kind, 'error');
    assert.match(target.failure?.message ?? '', told);
  });
});
