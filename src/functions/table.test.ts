import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { readLines, SIGNATURES } from '../../test/reference/stan.js';
import type { Signature } from '../language/signature.js';
import { showType } from '../language/types.js';
import { FUNCTIONS } from './table.js';

/** Higher-order functions, which are not in the table. */
const HIGHER_ORDER: readonly RegExp[] = [
  /^(algebra_solver|solve_(newton|powell)|ode_|dae|integrate_|map_rect|reduce_sum|laplace_|generate_laplace)/,
];

/** The function of the operator `%/%` has no name in Stan. */
const OPERATORS: ReadonlySet<string> = new Set(['int_divide']);

const isHigherOrder = (name: string): boolean => HIGHER_ORDER.some((pattern) => pattern.test(name));

function showSignature({ name, parameters, result }: Signature): string {
  return `${name}(${parameters.map(({ type }) => showType(type)).join(', ')}) => ${showType(result)}`;
}

function referenceSignatures(): ReadonlyMap<string, ReadonlySet<string>> {
  const byName = new Map<string, Set<string>>();
  for (const line of SIGNATURES.flatMap(readLines)) {
    if (line.startsWith('#')) continue;
    const name = line.slice(0, line.indexOf('('));
    byName.set(name, (byName.get(name) ?? new Set()).add(line));
  }
  return byName;
}

const expected = referenceSignatures();
const found = new Map(
  [...FUNCTIONS.entries()].map(({ name }) => [name, new Set(FUNCTIONS.lookup(name).map(showSignature))]),
);

describe('the table contains exactly the functions of Stan 2.40', () => {
  it('no name is missing', () => {
    assert.deepEqual(
      [...expected.keys()].filter((name) => !found.has(name) && !isHigherOrder(name)),
      [],
    );
  });

  it('no name is added', () => {
    assert.deepEqual(
      [...found.keys()].filter((name) => !expected.has(name) && !isHigherOrder(name) && !OPERATORS.has(name)),
      [],
    );
  });

  it('each has the same signatures', () => {
    const wrong = [...expected].flatMap(([name, lines]) => {
      const own = found.get(name);
      if (own === undefined) return [];
      return [
        ...[...own].filter((line) => !lines.has(line)).map((line) => `surplus ${line}`),
        ...[...lines].filter((line) => !own.has(line)).map((line) => `missing ${line}`),
      ];
    });
    assert.deepEqual(wrong, []);
  });
});

test('an unnormalized density has the signatures of its density', () => {
  assert.equal(FUNCTIONS.entry('normal_lupdf')?.name, 'normal_lpdf');
  assert.equal(FUNCTIONS.lookup('normal_lupdf')[0].name, 'normal_lupdf');
});

test('a function of Stan that the table lacks is known but unsupported', () => {
  assert.equal(FUNCTIONS.isKnownButUnsupported('ode_bdf'), true);
  assert.equal(FUNCTIONS.isKnownButUnsupported('exp'), false);
  assert.equal(FUNCTIONS.isKnownButUnsupported('no_such_function'), false);
});
