import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { compile, isCompiled } from '../../src/compile.js';
import { printBlock, printFunction } from '../../src/ir/print.js';
import { loadKernels } from '../../src/node/kernels.js';
import { PASSES } from '../../src/optimize/passes.js';
import { ROOT } from '../project/tree.js';
import { SHOWN, type Shown } from './programs.js';

const FOLDER = join(ROOT, 'test/passes/expected');
const { library } = loadKernels();
const PASS_NAMES: ReadonlySet<string> = new Set(Object.keys(PASSES));

/** The program and its IR as text. After a stage, it includes the functions that the program calls; after a pass, it does not. */
function show({ program, shown }: Shown): string {
  const found = new Map<string, Map<number | null, string>>(shown.map((title) => [title, new Map()]));
  const result = compile(program, library, {
    observe: ({ name, part, of, block, functions }) => {
      const printed =
        of === null
          ? [...(PASS_NAMES.has(name) ? [] : functions.map(printFunction)), printBlock(block)].join('\n\n')
          : printFunction({ ...of, body: block });
      for (const title of [part, `${part}: ${name}`]) found.get(title)?.set(of?.id ?? null, printed);
    },
  });
  assert.ok(isCompiled(result));
  const parts = [...found].map(([title, texts]) => [`──── ${title}`, ...texts.values()].join('\n\n'));
  return `${[program, ...parts].join('\n\n')}\n`;
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
