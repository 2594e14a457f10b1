import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../project/tree.js';
import { runApproximations } from './approximations.js';

const MODELS = join(ROOT, '../shared/conformance/models');

test('approximations are as close to posteriors as stated, and those of real Stan', {
  skip: !existsSync(MODELS),
}, () => {
  const outcomes = [...runApproximations(MODELS, /./)];
  assert.deepEqual(
    outcomes.filter(({ verdict }) => verdict !== 'passed'),
    [],
  );
  assert.equal(outcomes.length, 92);
});
