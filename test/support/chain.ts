import type { CompilationOptions } from '../../src/chain/compiler.js';
import type { EngineModel } from '../../src/chain/model-host.js';
import { ModelTarget } from '../../src/chain/target.js';
import { parseStanData } from '../../src/formats/stan-json.js';
import { readArguments } from '../../src/inference/algorithms/arguments.js';
import { findAlgorithm } from '../../src/inference/algorithms/registry.js';
import { createRng } from '../../src/inference/random/random-stream.js';
import { noInitialValues } from '../../src/inference/target.js';
import { RecordingSink } from '../../src/inference/testing/recording-sink.js';
import { compiler, models } from '../../src/node/engine.js';

/** A program compiled for runs without a server. */
export interface Program {
  instantiate(data: string, seed: number): EngineModel;
}

/** Compiles a program; undefined if the compiler rejects it. */
export function compileForChains(text: string, options: CompilationOptions = {}): Program | undefined {
  const compiled = compiler.compile({ program: text, includes: {} }, options);
  if (!compiled.compiled) return undefined;
  const { artifact } = compiled;
  const module = new WebAssembly.Module(compiled.wasm);
  return {
    instantiate: (data, seed) =>
      models.instantiate({ artifact, module }, parseStanData(data), { seed, print: () => {}, maximumMemory: 2 ** 30 }),
  };
}

/** The model's interface for algorithms. */
export function targetOf(model: EngineModel, seed: number, chain: number): ModelTarget {
  return new ModelTarget(models, model, [], seed, chain);
}

/** Runs one chain of a function of the services namespace and returns its output. */
export function runChain(
  name: string,
  given: Readonly<Record<string, unknown>>,
  model: EngineModel,
  seed: number,
  chain = 1,
  initial = noInitialValues,
  target = targetOf(model, seed, chain),
  clock = () => 0,
  interrupt = () => false,
): RecordingSink {
  const algorithm = findAlgorithm(name);
  if (algorithm === undefined) throw new Error(`no function ${name}`);
  const read = readArguments(algorithm.arguments, given);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  const sink = new RecordingSink();
  const outcome = algorithm.run(read.settings, {
    target,
    initial,
    initialAt: () => initial,
    rng: createRng(seed, chain),
    stream: (offset) => createRng(seed, chain + offset),
    sink,
    interrupt,
    clock,
  });
  if (outcome.status !== 'completed') sink.log('fatal', JSON.stringify(outcome));
  return sink;
}
