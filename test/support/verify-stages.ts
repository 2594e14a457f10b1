import { type CompileOptions, type CompileResult, compile } from '../../src/compile.js';
import { InternalError, verify, verifyFunction } from '../../src/ir/verify.js';
import { loadKernels } from '../../src/node/kernels.js';
import type { Part } from '../../src/optimize/passes.js';

const { library } = loadKernels();

/** Parts whose IR may have adjoints and a tape. */
const DIFFERENTIATED: ReadonlySet<Part> = new Set(['gradient', 'differentiated function', 'Hessian product', 'value']);

/** Compiles the program and verifies the IR after every stage and pass, including that of called functions. */
export function verifyStages(text: string, options: CompileOptions = {}): CompileResult {
  return compile(text, library, {
    ...options,
    observe: ({ name, part, of, block, functions }) => {
      const gradient = DIFFERENTIATED.has(part);
      try {
        if (of === null) verify(block, { functions, gradient });
        else verifyFunction({ ...of, body: block }, functions, { gradient });
      } catch (error) {
        const where = of === null ? part : `${part} ${of.name}`;
        throw error instanceof InternalError ? new InternalError(`${where} after ${name}: ${error.message}`) : error;
      }
    },
  });
}
