import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, test } from 'node:test';
import { ROOT } from '../../test/project/tree.js';
import type { Signature } from '../language/signature.js';
import { showType } from '../language/types.js';
import { FUNCTIONS } from './table.js';

/** Every signature of Stan 2.39, one a line, where that list is at hand. */
const REFERENCE = join(ROOT, '../shared/conformance/signatures.txt');

/** The same in short: a line for each name, how many signatures it has and a digest of them. `npm run accept` writes it. */
const DIGESTS = join(ROOT, 'test/reference/signatures.txt');

/** What calls functions of the program, and has no place in the table. */
const HIGHER_ORDER: readonly RegExp[] = [
  /^(algebra_solver|solve_(newton|powell)|ode_|dae|integrate_|map_rect|reduce_sum|laplace_|generate_laplace)/,
];

/** What the operator %/% stands for has no name in Stan. */
const OPERATORS: ReadonlySet<string> = new Set(['int_divide']);

const isHigherOrder = (name: string): boolean => HIGHER_ORDER.some((pattern) => pattern.test(name));

function showSignature({ name, parameters, result }: Signature): string {
  return `${name}(${parameters.map(({ type }) => showType(type)).join(', ')}) => ${showType(result)}`;
}

function digestOf(lines: Iterable<string>): string {
  const sorted = [...new Set(lines)].sort();
  return `${sorted.length} ${createHash('sha256').update(sorted.join('\n')).digest('hex').slice(0, 12)}`;
}

function referenceSignatures(): ReadonlyMap<string, ReadonlySet<string>> {
  const byName = new Map<string, Set<string>>();
  for (const line of readFileSync(REFERENCE, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const name = line.slice(0, line.indexOf('('));
    byName.set(name, (byName.get(name) ?? new Set()).add(line));
  }
  return byName;
}

if (process.env.ACCEPT !== undefined && existsSync(REFERENCE)) {
  const rows = [...referenceSignatures()].map(([name, lines]) => `${name} ${digestOf(lines)}\n`);
  writeFileSync(DIGESTS, rows.sort().join(''));
}

const digests = new Map(
  readFileSync(DIGESTS, 'utf8')
    .trim()
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
);
const found = new Map(
  [...FUNCTIONS.entries()].map(({ name }) => [name, new Set(FUNCTIONS.lookup(name).map(showSignature))]),
);

describe('the table has exactly the functions of Stan 2.39', () => {
  it('no name is missing', () => {
    assert.deepEqual(
      [...digests.keys()].filter((name) => !found.has(name) && !isHigherOrder(name)),
      [],
    );
  });

  it('no name is surplus', () => {
    assert.deepEqual(
      [...found.keys()].filter((name) => !digests.has(name) && !isHigherOrder(name) && !OPERATORS.has(name)),
      [],
    );
  });

  it('each has as many signatures, and the same', () => {
    const wrong = [...found].flatMap(([name, lines]) => {
      const own = digestOf(lines);
      const expected = digests.get(name);
      return expected === undefined || own === expected ? [] : [`${name}: ${own}, expected ${expected}`];
    });
    assert.deepEqual(wrong, []);
  });

  it('each signature is one of the list', { skip: !existsSync(REFERENCE) }, () => {
    const wrong = [...referenceSignatures()].flatMap(([name, expected]) => {
      const own = found.get(name);
      if (own === undefined) return [];
      return [
        ...[...own].filter((line) => !expected.has(line)).map((line) => `surplus ${line}`),
        ...[...expected].filter((line) => !own.has(line)).map((line) => `missing ${line}`),
      ];
    });
    assert.deepEqual(wrong, []);
  });
});

test('an unnormalised density has the signatures of its density', () => {
  assert.equal(FUNCTIONS.entry('normal_lupdf')?.name, 'normal_lpdf');
  assert.equal(FUNCTIONS.lookup('normal_lupdf')[0].name, 'normal_lupdf');
});

test('a function of Stan that the table lacks is known but unsupported', () => {
  assert.equal(FUNCTIONS.isKnownButUnsupported('ode_bdf'), true);
  assert.equal(FUNCTIONS.isKnownButUnsupported('exp'), false);
  assert.equal(FUNCTIONS.isKnownButUnsupported('no_such_function'), false);
});
