import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filesBelow, isTest, read } from './tree.js';

const MEDIAN = 200;
const NINETIETH_PERCENTILE = 500;
const LARGEST = 800;

interface Size {
  readonly file: string;
  readonly lines: number;
}

function sizesOf(files: readonly string[]): Size[] {
  return files.map((file) => ({ file, lines: read(file).split('\n').length - 1 })).sort((a, b) => a.lines - b.lines);
}

/** Nine lines in ten contain only numbers and quoted words. */
function isTable(file: string): boolean {
  const lines = read(file).split('\n');
  const items = lines.filter((line) => /^\s*(?:[-+\d.eExXa-fA-F_,[\]\s]+|(?:'[^']*',?\s*)+)$/.test(line));
  return items.length >= 0.9 * lines.length;
}

function atShare({ length }: readonly Size[], share: number): number {
  return Math.min(length - 1, Math.floor(share * length));
}

describe('the files of src', () => {
  const sizes = sizesOf(filesBelow('src', '.ts').filter((file) => !isTest(file)));

  it(`have a median of at most ${MEDIAN} lines`, () => {
    assert.ok(sizes[atShare(sizes, 0.5)].lines <= MEDIAN);
  });

  it(`have a 90th percentile of at most ${NINETIETH_PERCENTILE} lines`, () => {
    const { file, lines } = sizes[atShare(sizes, 0.9)];
    assert.ok(lines <= NINETIETH_PERCENTILE, `${file}: ${lines} lines`);
  });
});

/** Source files in each folder, and files that tests record. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  src: ['.ts', '.stanfunctions', 'tsconfig.json'],
  test: [
    '.ts',
    '.cjs',
    '.mjs',
    '.c',
    '.stan',
    '.json',
    '.jsonl',
    '.gz',
    '.py',
    '.R',
    '.txt',
    '.csv',
    '.tsv',
    '.xlsx',
    '.md',
    '.yaml',
  ],
  'web/src': ['.ts', '.tsx', '.css', '.stan', '.json', '.md'],
  docs: ['.md', '.png', '.svg'],
  interop: ['.py', '.R', '.txt'],
};

describe('every file', () => {
  for (const [folder, endings] of Object.entries(WRITTEN)) {
    it(`of ${folder} was written by people, or recorded for tests: none is left behind by a tool`, () => {
      const others = filesBelow(folder, '').filter((file) => !endings.some((ending) => file.endsWith(ending)));
      assert.deepEqual(others, []);
    });
  }

  it(`has at most ${LARGEST} lines, unless it is a table`, () => {
    const files = ['src', 'test', 'web/src']
      .flatMap((folder) => filesBelow(folder, '.ts'))
      .concat(filesBelow('web/src', '.tsx'), filesBelow('web/src', '.css'), filesBelow('scripts', '.mjs'));
    const large = sizesOf(files).filter(({ file, lines }) => lines > LARGEST && !isTable(file));
    assert.deepEqual(large, []);
  });
});
