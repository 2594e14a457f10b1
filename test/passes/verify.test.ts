import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { compile } from '../../src/compile.js';
import { InternalError, verify, verifyFunction } from '../../src/ir/verify.js';
import { loadKernels } from '../../src/node/kernels.js';
import { PROGRAMS } from '../gradients/programs.js';
import { ROOT } from '../project/tree.js';

const { library } = loadKernels();
const MODELS = join(ROOT, '../shared/conformance/models');

/** Compiles the program and holds the IR against its rules after every stage and pass. */
function verifyStages(text: string): void {
  let gradient = false;
  compile(text, library, {
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

describe('the IR is well formed after every pass', () => {
  for (const [name, program] of Object.entries(PROGRAMS)) it(name, () => verifyStages(program));
});

describe('the IR of the conformance models is well formed after every pass', { skip: !existsSync(MODELS) }, () => {
  for (const name of existsSync(MODELS) ? readdirSync(MODELS) : []) {
    it(name, () => verifyStages(readFileSync(join(MODELS, name, 'model.stan'), 'utf8')));
  }
});
