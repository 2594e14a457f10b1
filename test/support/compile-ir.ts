import type { JsonData } from '../../src/formats/stan-json.js';
import { Builder, Names } from '../../src/ir/builder.js';
import * as x from '../../src/ir/expressions.js';
import type { Block, IrProgram, Local, Ref } from '../../src/ir/nodes.js';
import { instantiate, type Model } from '../../src/model/model.js';
import { loadKernels } from '../../src/node/kernels.js';
import { emit } from '../../src/wasm/emit.js';

const { library: kernels, linear: linearBytes } = loadKernels();
const linear = new WebAssembly.Module(linearBytes);

export interface Written {
  readonly names: Names;
  readonly builder: Builder;
  readonly position: Ref;
  readonly constrained: Ref;
  readonly flags: Pick<
    IrProgram,
    'keepConstants' | 'keepJacobian' | 'includeTransformedParameters' | 'includeGeneratedQuantities' | 'rounding'
  >;
}

type Blocks = Partial<
  Pick<IrProgram, 'data' | 'outputs' | 'prepare' | 'logDensity' | 'generate' | 'unconstrain' | 'functions'>
> & {
  readonly precompute?: Block;
  readonly gradient?: Block;
};

interface CompileOptions {
  readonly data?: JsonData;
  readonly print?: (text: string) => void;
  readonly vectorize?: boolean;
}

/** A model from handwritten IR, with two real parameters unless `write` defines other outputs. */
export function compileIr(write: (written: Written) => Blocks, options: CompileOptions = {}): Model {
  const { data = {}, print = () => {}, vectorize = true } = options;
  const names = new Names();
  const builder = new Builder(names);
  const position = builder.newRef('real', 1, 'position', 'global');
  const constrained = builder.newRef('real', 1, 'constrained', 'global');
  const flag = (name: string): Local => builder.newLocal('int', name, 'global');
  const flags = {
    keepConstants: flag('keepConstants'),
    keepJacobian: flag('keepJacobian'),
    includeTransformedParameters: flag('includeTransformedParameters'),
    includeGeneratedQuantities: flag('includeGeneratedQuantities'),
    rounding: builder.newLocal('real', 'rounding', 'global'),
  };
  const { precompute = [], gradient = [], ...blocks } = write({ names, builder, position, constrained, flags });
  const program: IrProgram = {
    name: 'test',
    data: [],
    outputs: [
      {
        name: 'p',
        block: 'parameters',
        arrayDepth: 0,
        element: 'vector',
        sizes: [x.int(2)],
        unconstrainedSizes: [x.int(2)],
      },
    ],
    functions: [],
    position,
    constrained,
    ...flags,
    prepare: [],
    logDensity: [],
    generate: [],
    unconstrain: [],
    ...blocks,
    globals: names.globals,
  };
  const { wasm, artifact } = emit(
    { program, precompute, gradient, value: program.logDensity, functions: program.functions },
    kernels,
    {
      vectorize,
    },
  );
  return instantiate(JSON.parse(JSON.stringify(artifact)), new WebAssembly.Module(wasm), linear, data, {
    seed: 1,
    print,
  });
}
