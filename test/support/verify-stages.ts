import { type CompileOptions, type CompileResult, compile } from '../../src/compile.js';
import { InternalError, verify, verifyFunction } from '../../src/ir/verify.js';
import { loadKernels } from '../../src/node/kernels.js';

const { library } = loadKernels();

/** Compiles the program and holds the IR against its rules after every stage and pass. */
export function verifyStages(text: string, options: CompileOptions = {}): CompileResult {
  let gradient = false;
  return compile(text, library, {
    ...options,
    observe: (stage, block, functions) => {
      gradient ||= stage === 'differentiate';
      try {
        verify(block, { functions, gradient });
        for (const f of functions) verifyFunction(f, functions, { gradient });
      } catch (error) {
        throw error instanceof InternalError ? new InternalError(`after ${stage}: ${error.message}`) : error;
      }
    },
  });
}
