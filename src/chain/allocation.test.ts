import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseStanData } from '../formats/stan-json.js';
import { createRng } from '../inference/random/random-stream.js';
import { RecordingSink } from '../inference/testing/recording-sink.js';
import { DenseMetric } from '../inference/transition/dense-metric.js';
import { DiagonalMetric } from '../inference/transition/diagonal-metric.js';
import { Hamiltonian } from '../inference/transition/hamiltonian.js';
import { NutsSampler } from '../inference/transition/nuts.js';
import { PhaseSpace } from '../inference/transition/phase-space.js';
import { StaticHmcSampler } from '../inference/transition/static-hmc.js';
import { compiler, models } from '../node/engine.js';
import { ModelTarget } from './target.js';

const STEPS = 100_000;

/** Size of a boxed number in bytes: the minimum for a step that allocates. */
const BOXED_NUMBER = 16;
const LEAST_THAT_ALLOCATES = BOXED_NUMBER / 4;

/** Milliseconds in which the engine must have optimized the sampler: it does so beside us, and later when the machine is busy. */
const TIME_TO_OPTIMIZE = 20_000;

function compiledTarget(): ModelTarget {
  const compiled = compiler.compile({
    program: 'parameters { vector[10] x; } model { x ~ normal(0, 1000); }',
    includes: {},
  });
  assert.ok(compiled.compiled);
  const options = { seed: 1, print: () => {}, maximumMemory: 2 ** 28 };
  const module = new WebAssembly.Module(new Uint8Array(compiled.wasm));
  const model = models.instantiate({ artifact: compiled.artifact, module }, parseStanData('{}'), options);
  return new ModelTarget(models, model, [], 1, 1);
}

/** A compiled density for samplers whose trajectories have the maximum length. */
function prepare(kind: 'diagonal' | 'dense') {
  const target = compiledTarget();
  const space = new PhaseSpace(target.dimension, kind, target.resident);
  const metric = kind === 'dense' ? new DenseMetric(space) : new DiagonalMetric(space);
  const hamiltonian = new Hamiltonian(target, space, metric, new RecordingSink());
  const start = space.acquire(1);
  start.position.fill(1);
  hamiltonian.evaluate(start);
  const options = { hamiltonian, rng: createRng(1, 1), start, interrupt: () => false, interruptEvery: 32 };
  return { target, options };
}

/**
 * Bytes for each leapfrog step once the sampler is optimized; the median of several measurements, for the collector may run in
 * some.
 */
function bytesPerStep(target: ModelTarget, transition: () => void): number {
  const measure = () => {
    const steps = target.gradients;
    const { heapUsed } = process.memoryUsage();
    while (target.gradients < steps + STEPS) transition();
    return (process.memoryUsage().heapUsed - heapUsed) / (target.gradients - steps);
  };
  const end = performance.now() + TIME_TO_OPTIMIZE;
  let bytes = Number.POSITIVE_INFINITY;
  while (bytes >= LEAST_THAT_ALLOCATES && performance.now() < end) {
    bytes = Array.from({ length: 7 }, measure).sort((a, b) => a - b)[3];
  }
  return bytes;
}

describe('a leapfrog step of a compiled density allocates nothing', () => {
  for (const kind of ['diagonal', 'dense'] as const) {
    it(`in the No-U-Turn sampler with ${kind} metric`, () => {
      const { target, options } = prepare(kind);
      const sampler = new NutsSampler({ ...options, maxDepth: 10 });
      const bytes = bytesPerStep(target, () => sampler.transition(1e-3));
      assert.ok(bytes < LEAST_THAT_ALLOCATES, `${bytes} bytes`);
    });
  }

  it('in static trajectories', () => {
    const { target, options } = prepare('diagonal');
    const sampler = new StaticHmcSampler({ ...options, integrationTime: 1, stepSize: 1e-3 });
    const bytes = bytesPerStep(target, () => sampler.transition(1e-3));
    assert.ok(bytes < LEAST_THAT_ALLOCATES, `${bytes} bytes`);
  });
});
