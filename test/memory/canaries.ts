import { compile, isCompiled } from '../../src/compile.js';
import { parseStanData } from '../../src/formats/stan-json.js';
import { FUNCTIONS } from '../../src/functions/table.js';
import type { Signature } from '../../src/language/signature.js';
import { showType } from '../../src/language/types.js';
import { ModelError, Rejection } from '../../src/model/errors.js';
import { instantiate, type Model } from '../../src/model/model.js';
import type { Artifact } from '../../src/wasm/artifact.js';
import { Random } from '../fuzz/random.js';
import { argumentsOf, canariesOf } from './arguments.js';
import { programOf } from './calls.js';
import { ALL, FORM, KERNELS, LINEAR } from './models.js';

/** The contents of memory before an evaluation, and of the memory around the arguments. */
const SETTINGS = [
  { memory: 0x41, canary: 3.5e300 },
  { memory: 0xff, canary: -7.25e-5 },
] as const;

const RUNNING = { seed: 1, print: () => {}, maximumMemory: 2 ** 24 };

/** Traps of the WebAssembly engine, which a check of a function should have prevented. */
const UNTYPED =
  /memory access out of bounds|unreachable|divide by zero|unrepresentable|kernel has failed|recurses|canary \d/;

export interface Campaign {
  readonly evaluations: number;
  readonly findings: readonly string[];
}

/** All signatures of the library without functions or tuples as arguments. */
export function allSignatures(): readonly Signature[] {
  return [...FUNCTIONS.entries()].flatMap(({ name }) => FUNCTIONS.lookup(name));
}

/** One signature of each function. */
export function someSignatures(seed: number): readonly Signature[] {
  const random = new Random(seed);
  return [...FUNCTIONS.entries()].flatMap(({ name }) => {
    const signatures = FUNCTIONS.lookup(name);
    return signatures.length === 0 ? [] : [random.pick(signatures)];
  });
}

/** Calls each signature with `sets` sets of random arguments. An evaluation is a density with its gradient, or a draw. */
export function callAll(signatures: readonly Signature[], sets: number, seed: number): Campaign {
  const findings: string[] = [];
  let evaluations = 0;
  for (const [k, signature] of signatures.entries()) {
    const random = new Random(seed + k);
    const program = programOf(signature);
    const compiled = compile(program, KERNELS);
    if (!isCompiled(compiled)) {
      findings.push(`${describe(signature)} does not compile: ${compiled.text}`);
      continue;
    }
    const module = new WebAssembly.Module(compiled.wasm);
    for (let set = 0; set < sets; set++) {
      const given = argumentsOf(signature, random);
      const outcomes = SETTINGS.map((setting) => {
        const data = parseStanData(`{ ${[given, canariesOf(signature, setting.canary)].filter(Boolean).join(', ')} }`);
        return evaluate(
          () => instantiate(compiled.artifact, module, LINEAR, data, RUNNING),
          compiled.artifact,
          setting.memory,
        );
      });
      evaluations += outcomes.reduce((sum, { values }) => sum + values.length, 0);
      const found = [...new Set(outcomes.flatMap((outcome) => outcome.findings))];
      const values = outcomes.map((outcome) => outcome.values.join(' '));
      if (values[0] !== values[1]) found.push(`depends on memory: ${values.join(' and ')}`);
      findings.push(...found.map((what) => `${describe(signature)} of { ${given} }: ${what}`));
    }
  }
  return { evaluations, findings };
}

function describe({ name, parameters }: Signature): string {
  return `${name}(${parameters.map(({ type }) => showType(type)).join(', ')})`;
}

interface Outcome {
  readonly values: readonly string[];
  readonly findings: readonly string[];
}

/** The density with its gradient, and the draw; free memory is filled before each. */
function evaluate(make: () => Model, artifact: Artifact, pattern: number): Outcome {
  const findings: string[] = [];
  let model: Model;
  try {
    model = make();
  } catch (error) {
    return { values: [refusal(error, findings)], findings };
  }
  const position = new Float64Array(model.dimension);
  const gradient = new Float64Array(model.dimension);
  const out = new Float64Array(model.constrainedNames(ALL).length);
  const runs = [
    () => [model.logDensityGradient(position, gradient, FORM), ...gradient],
    () => {
      model.seedRandom(1, 1);
      model.writeArray(position, out, ALL);
      return [...out];
    },
  ];
  const values = runs.map((run) => {
    fillFree(model, pattern);
    const before = dataOf(model, artifact);
    let text: string;
    try {
      text = run().join();
    } catch (error) {
      text = refusal(error, findings);
    }
    if (Buffer.compare(before, dataOf(model, artifact)) !== 0) findings.push('changes the data');
    return text;
  });
  return { values, findings };
}

function refusal(error: unknown, findings: string[]): string {
  if (!(error instanceof Rejection || error instanceof ModelError)) throw error;
  if (UNTYPED.test(error.message)) findings.push(error.message);
  return error.message;
}

/** Fills the memory after the position. */
function fillFree(model: Model, pattern: number): void {
  const resident = model.resident(FORM);
  if (resident === undefined) return;
  new Uint8Array(resident.memory.buffer).fill(pattern, resident.position + 8 * model.dimension);
}

/** A copy of all containers of the data: the arguments, and the canaries before, between and after them. */
function dataOf(model: Model, { data }: Artifact): Buffer {
  const resident = model.resident(FORM);
  if (resident === undefined) return Buffer.alloc(0);
  const { buffer } = resident.memory;
  const view = new DataView(buffer);
  return Buffer.concat(
    data
      .filter(({ rank }) => rank > 0)
      .map(({ type, rank, slot }) => {
        const sizes = Array.from({ length: rank }, (_, axis) => view.getInt32(slot + 4 * (1 + axis), true));
        const bytes = sizes.reduce((product, size) => product * size, type === 'int' ? 4 : 8);
        return new Uint8Array(buffer, view.getUint32(slot, true), bytes);
      }),
  );
}
