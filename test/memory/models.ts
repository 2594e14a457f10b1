import { type CompileOptions, compile, isCompiled } from '../../src/compile.js';
import type { JsonData } from '../../src/formats/stan-json.js';
import type { InstantiateOptions } from '../../src/model/bind.js';
import { instantiate, type Model } from '../../src/model/model.js';
import { loadKernels } from '../../src/node/kernels.js';

const { library, linear } = loadKernels();
export const LINEAR = new WebAssembly.Module(linear);

export const KERNELS = library;
export const FORM = { propto: false, jacobian: true };
export const ALL = { transformedParameters: true, generatedQuantities: true };

/** A program with its data; with `keepsChecks`, every check of an index or a size is kept. */
export function build(
  text: string,
  data: JsonData,
  compiling: CompileOptions = {},
  running: Partial<InstantiateOptions> = {},
): Model {
  const compiled = compile(text, library, compiling);
  if (!isCompiled(compiled)) throw new Error(compiled.text);
  return instantiate(compiled.artifact, new WebAssembly.Module(compiled.wasm), LINEAR, data, {
    seed: 1,
    print: () => {},
    ...running,
  });
}

/** The values of `generated quantities`, at parameters that are zero on the unconstrained scale. */
export function generated(model: Model): number[] {
  const out = new Float64Array(model.constrainedNames(ALL).length);
  model.writeArray(new Float64Array(model.dimension), out, ALL);
  return [...out.subarray(model.constrainedNames({}).length)];
}
