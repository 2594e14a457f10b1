import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { compile, isCompiled } from '../../src/compile.js';
import { printBlock, printFunction } from '../../src/ir/print.js';
import { loadKernels } from '../../src/node/kernels.js';
import { ROOT } from '../project/tree.js';
import { SHOWN, type Shown } from './programs.js';

const FOLDER = join(ROOT, 'test/passes/expected');
const { library } = loadKernels();

/** The program and its IR after each of its passes, for people to read. */
function show({ program, passes }: Shown): string {
  const parts = [program];
  const result = compile(program, library, {
    observe: (pass, block, functions) => {
      if (!passes.includes(pass)) return;
      const printed = [...functions.map(printFunction), printBlock(block)];
      parts.push(`──── ${pass}`, ...printed);
    },
  });
  assert.ok(isCompiled(result));
  return `${parts.join('\n\n')}\n`;
}

describe('the IR after a pass is the expected text', () => {
  for (const [name, shown] of Object.entries(SHOWN)) {
    it(name, () => {
      const file = join(FOLDER, `${name.replaceAll(' ', '-')}.txt`);
      const found = show(shown);
      if (process.env.ACCEPT !== undefined) {
        mkdirSync(FOLDER, { recursive: true });
        writeFileSync(file, found);
      }
      assert.equal(found, readFileSync(file, 'utf8'));
    });
  }
});
