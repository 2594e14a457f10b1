import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Import, importsOf } from './imports.js';
import { filesBelow, isTest, read } from './tree.js';

/** What a folder may import from others: everything, or types only. */
type Allowed = ReadonlyMap<string, 'all' | 'types'>;

const table = readTable(read('docs/architecture.md'));
const files = filesBelow('src', '.ts').filter((file) => !isTest(file) && !file.endsWith('.d.ts'));
const imports = files.flatMap((file) => importsOf(file, read(file)));
const crossing = imports.filter((entry) => !entry.isPackage && folderOf(entry.target) !== folderOf(entry.file));

/** Folders that may use Node's interfaces and packages. */
const DOORS: ReadonlySet<string> = new Set(['node', 'fit-files', 'service', 'cmdstan', 'cli', 'pipe', 'lsp']);
const NODE_GLOBALS = /\b(?:Buffer|setImmediate|NodeJS|__dirname)\b|\bprocess\./;

/** Files whose types refer to each other: those of the IR, and pairs of a class and its parts. */
const CYCLES: readonly ReadonlySet<string>[] = [
  new Set(['expressions', 'nodes', 'normal-interval', 'ops', 'remake', 'walk'].map((name) => `src/ir/${name}.ts`)),
  new Set(['src/lower/lowering.ts', 'src/lower/recursion.ts']),
  new Set(['src/inference/transition/phase-point.ts', 'src/inference/transition/phase-space.ts']),
];

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|`[^`]*`/g, '');
}

/** Rows of the table of folders: `name`s in the first cell, the third cell's list of folders, "types of" before some. */
function readTable(text: string): ReadonlyMap<string, Allowed> {
  const rows = text.split('\n').filter((line) => line.startsWith('| `') && !line.startsWith('| `service/'));
  const result = new Map<string, Allowed>();
  for (const row of rows) {
    const [, names, , list] = row.split('|').map((cell) => cell.trim());
    const above = [...result.keys()];
    const entries = list === '–' ? [] : list === 'all of the above' ? above : list.split(/,\s*/);
    const allowed: Allowed = new Map(
      entries.map((entry) =>
        entry.startsWith('types of ') ? [entry.slice('types of '.length), 'types'] : [entry, 'all'],
      ),
    );
    for (const [, name] of names.matchAll(/`([^`]+)`/g)) result.set(name, allowed);
  }
  return result;
}

/** `lower` of src/lower/values.ts, `compile.ts` of src/compile.ts. */
function folderOf(path: string): string {
  return path.split('/')[1];
}

function isAllowed({ file, target, typesOnly }: Import): boolean {
  const permission = table.get(folderOf(file))?.get(folderOf(target));
  return permission === 'all' || (permission === 'types' && typesOnly);
}

function withoutEnding(file: string): string {
  return file.replace(/\.tsx?$/, '');
}

function refuseCycles(edges: readonly (readonly [from: string, to: string])[]): void {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const finished = new Set<string>();
  const visit = (place: string, path: readonly string[]): void => {
    assert.ok(!path.includes(place), [...path.slice(path.indexOf(place)), place].join(' → '));
    if (finished.has(place)) return;
    for (const target of next.get(place) ?? []) visit(target, [...path, place]);
    finished.add(place);
  };
  for (const place of next.keys()) visit(place, []);
}

describe('the folders of src', () => {
  it('are those of the table in docs/architecture.md', () => {
    assert.deepEqual([...new Set(files.map(folderOf))].sort(), [...table.keys()].sort());
  });

  it('import only what the table allows', () => {
    const found = crossing
      .filter((entry) => !isAllowed(entry))
      .map(({ file, target, typesOnly }) => `${file} imports ${typesOnly ? 'types of ' : ''}${target}`);
    assert.deepEqual(found, []);
  });

  it('have no cycles', () => {
    refuseCycles(crossing.map(({ file, target }) => [folderOf(file), folderOf(target)]));
  });

  it('have no cycles of files that import each other at run time', () => {
    const needed = imports.filter(({ isPackage, typesOnly }) => !isPackage && !typesOnly);
    refuseCycles(needed.map(({ file, target }) => [file, target]));
  });

  it('have no cycles of files that import types of each other, except three small groups', () => {
    const together = (entry: Import) => CYCLES.some((group) => group.has(entry.file) && group.has(entry.target));
    const page = ['.ts', '.tsx'].flatMap((ending) => filesBelow('web/src', ending)).filter((file) => !isTest(file));
    const all = [...imports, ...page.flatMap((file) => importsOf(file, read(file)))];
    const edges = all.filter((entry) => !entry.isPackage && !together(entry));
    refuseCycles(edges.map(({ file, target }) => [withoutEnding(file), withoutEnding(target)]));
  });

  it('use Node and packages only in the folders that may', () => {
    const found = imports
      .filter(({ file, isPackage }) => isPackage && !DOORS.has(folderOf(file)))
      .map(({ file, target }) => `${file} imports ${target}`);
    assert.deepEqual(found, []);
  });

  it("use Node's globals only in the folders that may", () => {
    const inside = files.filter((file) => !DOORS.has(folderOf(file)));
    const found = inside.filter((file) => NODE_GLOBALS.test(withoutComments(read(file))));
    assert.deepEqual(found, []);
  });
});

/** `service/store` of src/service/store/files.ts, `service/server.ts` of src/service/server.ts. */
function roomOf(path: string): string {
  return path.split('/').slice(1, 3).join('/');
}

describe('the rooms of src/service', () => {
  const rooms = [...read('docs/architecture.md').matchAll(/^\| `(service\/[^`]+)` /gm)].map(([, name]) => name);
  const inside = imports.filter(({ file, target }) => folderOf(file) === 'service' && folderOf(target) === 'service');

  it('are those of the table in docs/architecture.md, with the entry points', () => {
    const found = new Set(files.filter((file) => folderOf(file) === 'service').map(roomOf));
    assert.deepEqual([...found].sort(), [...rooms, 'service/server.ts', 'service/work.ts'].sort());
  });

  it('import only from those above them', () => {
    const placeOf = (file: string) => {
      const place = rooms.indexOf(roomOf(file));
      return place < 0 ? rooms.length : place;
    };
    const found = inside.filter(({ file, target }) => placeOf(target) > placeOf(file));
    assert.deepEqual(
      found.map(({ file, target }) => `${file} imports ${target}`),
      [],
    );
  });
});

describe('the table of folders', () => {
  it('is read with its exceptions', () => {
    const rows = readTable('| `a`, `b` | x | – |\n| `c` | x | a, types of b |\n| `d` | x | all of the above |');
    assert.deepEqual([...rows.keys()], ['a', 'b', 'c', 'd']);
    assert.deepEqual(
      [...(rows.get('c') ?? [])],
      [
        ['a', 'all'],
        ['b', 'types'],
      ],
    );
    assert.deepEqual([...(rows.get('d')?.keys() ?? [])], ['a', 'b', 'c']);
  });

  it('is compared with every form of import', () => {
    const text = [
      "import a from '../x/a.js';",
      "import { type B, type C } from '../x/b.js';",
      "import type {\n  D,\n} from 'package';",
      "export { e } from './e.js';",
      "import './f.js';",
      "const g = await import('../x/g.js');",
      "module.import('env', 'memory');",
    ].join('\n');
    assert.deepEqual(
      importsOf('src/y/file.ts', text).map(({ target, typesOnly }) => [target, typesOnly]),
      [
        ['src/x/a.ts', false],
        ['src/x/b.ts', true],
        ['package', true],
        ['src/y/e.ts', false],
        ['src/y/f.ts', false],
        ['src/x/g.ts', false],
      ],
    );
  });
});
