import { readFileSync } from 'node:fs';
import { type CompileOptions, type CompileSuccess, compile, isCompiled } from '../../src/compile.js';
import { type JsonData, parseStanJson } from '../../src/formats/stan-json.js';
import { instantiate, type Model } from '../../src/model/model.js';
import { loadKernels } from '../../src/node/kernels.js';

/** The program uses a feature that the compiler reports as unsupported. */
export class Unsupported extends Error {}

class Refused extends Error {}

const kernels = loadKernels();
const linear = new WebAssembly.Module(kernels.linear);

export function compileProgram(text: string, options: CompileOptions = {}): CompileSuccess {
  const result = compile(text, kernels.library, options);
  if (isCompiled(result)) return result;
  if (result.diagnostics.some(({ kind }) => kind === 'unsupported')) throw new Unsupported(result.text);
  throw new Refused(result.text);
}

/** Modules of compiled programs, for models with other data. */
const modules = new WeakMap<CompileSuccess, WebAssembly.Module>();

function moduleOf(compiled: CompileSuccess): WebAssembly.Module {
  const module = modules.get(compiled) ?? new WebAssembly.Module(compiled.wasm);
  modules.set(compiled, module);
  return module;
}

export function buildModel(
  compiled: CompileSuccess,
  data: string,
  seed = 1,
  print: (text: string) => void = () => {},
): Model {
  const parsed = parseStanJson(data);
  return instantiate(compiled.artifact, moduleOf(compiled), linear, asData(parsed), { seed, print });
}

/** Compiles a program once for many data sets. */
export function modelsOf(text: string): (data: JsonData) => Model {
  const compiled = compileProgram(text);
  return (data) => instantiate(compiled.artifact, moduleOf(compiled), linear, data, { seed: 1, print: () => {} });
}

type Parsed = ReturnType<typeof parseStanJson>;

function asData(value: Parsed): Parameters<typeof instantiate>[3] {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || ArrayBuffer.isView(value)) {
    throw new Error('data must be an object');
  }
  return value as Parameters<typeof instantiate>[3];
}

export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
