import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import type { Signature } from '../language/signature.js';
import { showType } from '../language/types.js';
import { FUNCTIONS } from './table.js';

const REFERENCE = resolve('../shared/conformance/signatures.txt');

function showSignature({ name, parameters, result }: Signature): string {
  return `${name}(${parameters.map(({ type }) => showType(type)).join(', ')}) => ${showType(result)}`;
}

test('every function has exactly the signatures of Stan 2.39 over real types', { skip: !existsSync(REFERENCE) }, () => {
  const expected = new Map<string, Set<string>>();
  for (const line of readFileSync(REFERENCE, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const name = line.slice(0, line.indexOf('('));
    expected.set(name, (expected.get(name) ?? new Set()).add(line));
  }
  const wrong: string[] = [];
  for (const { name } of FUNCTIONS.entries()) {
    if (name === 'int_divide') continue;
    const own = expected.get(name) ?? new Set();
    const found = new Set(FUNCTIONS.lookup(name).map(showSignature));
    wrong.push(...[...found].filter((line) => !own.has(line)).map((line) => `surplus ${line}`));
    wrong.push(
      ...[...own].filter((line) => !found.has(line) && !line.includes('complex')).map((line) => `missing ${line}`),
    );
  }
  assert.deepEqual(wrong, []);
});

test('an unnormalised density has the signatures of its density', () => {
  assert.equal(FUNCTIONS.entry('normal_lupdf')?.name, 'normal_lpdf');
  assert.equal(FUNCTIONS.lookup('normal_lupdf')[0].name, 'normal_lupdf');
});

test('a function of Stan that the table lacks is known but unsupported', () => {
  assert.equal(FUNCTIONS.isKnownButUnsupported('hmm_marginal'), true);
  assert.equal(FUNCTIONS.isKnownButUnsupported('exp'), false);
  assert.equal(FUNCTIONS.isKnownButUnsupported('no_such_function'), false);
});
