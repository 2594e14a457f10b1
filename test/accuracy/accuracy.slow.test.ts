import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FUNCTIONS } from '../../src/functions/table.js';
import { packageRoot } from '../../src/node/package-root.js';
import { readCases } from '../reference/stan.js';
import { measure, type Recorded } from './accuracy.js';
import { KNOWN } from './known.js';

const ROOT = packageRoot(import.meta.dirname);
const RECORDED = '.jsonl.gz';
const GROUPS = readdirSync(join(ROOT, 'test/accuracy'))
  .filter((file) => file.endsWith(RECORDED))
  .map((file) => file.slice(0, -RECORDED.length));
/** Maximum number of failures in a message. */
const SHOWN = 5;

function fileOf(group: string): string {
  return join(ROOT, `test/accuracy/${group}${RECORDED}`);
}

for (const group of GROUPS) {
  describe(`the accuracy of ${group} functions`, () => {
    for (const recorded of readCases<Recorded>(fileOf(group))) {
      it(`${recorded.function} and its derivatives agree with 50 digits`, () => {
        const { failures } = measure(recorded);
        assert.equal(failures.length, 0, `${failures.length} failures\n${failures.slice(0, SHOWN).join('\n')}`);
      });
    }
  });
}

function recordedNames(): ReadonlySet<string> {
  return new Set(GROUPS.flatMap((group) => readCases<Recorded>(fileOf(group))).map((recorded) => recorded.function));
}

it('every function of numbers alone, and every density, has been recorded', () => {
  const recorded = recordedNames();
  assert.deepEqual(
    [...FUNCTIONS.names()].filter(
      (name) => (isScalar(name) || DENSITY.test(name)) && !HELD_ELSEWHERE.test(name) && !recorded.has(name),
    ),
    [],
  );
});

const DENSITY = /_(lpdf|lpmf|cdf|lcdf|lccdf)$/;
/** Separate tests cover Jacobian terms (transforms.test.ts), series of first-passage times (diffusion.test.ts) and modes found by iteration. */
const HELD_ELSEWHERE = /^laplace_|_(rng|jacobian|unnorm)$/;

/** Whether a function has a signature that returns a real for reals and ints. */
function isScalar(name: string): boolean {
  return FUNCTIONS.lookup(name).some(
    ({ parameters, result }) =>
      result.kind === 'real' &&
      parameters.length > 0 &&
      parameters.every(({ type }) => type.kind === 'real' || type.kind === 'int'),
  );
}

describe('the functions that are less accurate', () => {
  it('are listed in docs/differences.md with the same bounds', () => {
    const bound = (error: number | undefined): string => (error === undefined ? '' : String(error));
    const rows = KNOWN.map(({ function: name, value, derivatives, reason }) =>
      [`\`${name}\``, bound(value), bound(derivatives), reason].join(' | '),
    );
    const text = readFileSync(join(ROOT, 'docs/differences.md'), 'utf8');
    const [, section = ''] = text.split('## Less accurate functions\n');
    const lines = section
      .split('\n## ')[0]
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    const cells = (line: string): string =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1)
        .join(' | ');
    assert.deepEqual(lines.map(cells), rows);
  });

  it('have been recorded', () => {
    const recorded = recordedNames();
    assert.deepEqual(
      KNOWN.map((known) => known.function).filter((name) => !recorded.has(name)),
      [],
    );
  });
});
