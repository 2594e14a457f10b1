import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, it } from 'node:test';
import { filesBelow, ROOT, read } from './tree.js';

const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...filesBelow('docs', '.md')];
const paths = ['src', 'web/src', 'test', 'docs', 'scripts'].flatMap((folder) => filesBelow(folder, ''));

/** The text without fenced blocks. */
function prose(page: string): string {
  return read(page).replace(/^ *(`{3,}).*?^ *\1$/gms, '');
}

/** Headings, as the fragments that links use. */
function fragments(page: string): Set<string> {
  const headings = [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Targets of links to other files of the project. */
function ownTargets(page: string): readonly string[] {
  const targets = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

function brokenLinks(page: string): string[] {
  return ownTargets(page)
    .filter((target) => {
      const [file, fragment] = target.split('#');
      const path = file === '' ? page : posix.join(posix.dirname(page), file);
      if (!existsSync(posix.join(ROOT, path))) return true;
      return fragment !== undefined && !fragments(path).has(fragment);
    })
    .map((target) => `${page}: ${target}`);
}

/** `a/b.ts` in the text refers to a file by the end of its path. */
function missingFiles(page: string): string[] {
  const names = [...prose(page).matchAll(/`([\w./-]+\.(?:ts|md|mjs|json|jsonl))`/g)].map(([, name]) => name);
  return names
    .filter((name) => name.includes('/') && !/^[./]/.test(name))
    .filter((name) => !paths.some((path) => path === name || path.endsWith(`/${name}`)))
    .map((name) => `${page}: ${name}`);
}

/** Files named by the boxes of a page's figures. */
function boxes(page: string): string[] {
  const figures = [...read(page).matchAll(/^```mermaid\n(.*?)^```$/gms)].map(([, figure]) => figure);
  return figures.flatMap((figure) => [...figure.matchAll(/\["([^"]+)"\]/g)].map(([, name]) => name));
}

describe('the documentation', () => {
  it('names a test file for each fault in the table of reliability.md', () => {
    const [, section] = read('docs/reliability.md').split('### Faults\n');
    const rows = section.trim().split('\n\n')[0].split('\n').slice(2);
    assert.ok(rows.length > 10);
    for (const row of rows) {
      const files = [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(([, file]) => file);
      assert.notEqual(files.length, 0, row);
      for (const file of files) assert.ok(file.endsWith('.test.ts') && existsSync(posix.join(ROOT, file)), file);
    }
  });

  it('names existing files in figures', () => {
    assert.ok(boxes('CONTRIBUTING.md').length > 20);
    assert.deepEqual(
      pages.flatMap(boxes).filter((path) => !existsSync(posix.join(ROOT, path))),
      [],
    );
  });

  it('links to existing targets', () => {
    assert.deepEqual(pages.flatMap(brokenLinks), []);
  });

  it('links to pages of the documentation only, because the site contains no others', () => {
    const outside = filesBelow('docs', '.md').flatMap((page) =>
      ownTargets(page)
        .filter((target) => !posix.join(posix.dirname(page), target).startsWith('docs/'))
        .map((target) => `${page}: ${target}`),
    );
    assert.deepEqual(outside, []);
  });

  it('names existing files', () => {
    assert.deepEqual(pages.flatMap(missingFiles), []);
  });

  it('names existing npm scripts', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/\bnpm (?:run (?:-s )?([\w:-]+)|(start|test)\b)/g)].map(
        ([, script, shorthand]) => `${page}: ${script ?? shorthand}`,
      ),
    );
    assert.ok(named.length > 0);
    assert.deepEqual(
      named.filter((name) => !(name.split(': ')[1] in scripts)),
      [],
    );
  });
});

describe('package-lock.json', () => {
  it('names no registry', () => {
    assert.doesNotMatch(read('package-lock.json'), /"resolved"/);
  });
});
