import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../project/tree.js';
import { runFunctions } from './functions.js';
import { runModels } from './models.js';
import type { Outcome } from './outcome.js';
import { runSyntax } from './syntax.js';

const REFERENCE = join(ROOT, '../shared/conformance');
const skip = !existsSync(REFERENCE);

function assertNoneFails(outcomes: Iterable<Outcome>, atLeast: number): void {
  const all = [...outcomes];
  const failed = all.filter(({ verdict }) => verdict === 'failed');
  assert.deepEqual(failed, []);
  assert.ok(all.filter(({ verdict }) => verdict === 'passed').length >= atLeast);
}

test('every reference model gives real Stan numbers, 1e-9, or is refused as unsupported', { skip }, () => {
  assertNoneFails(runModels(join(REFERENCE, 'models'), /./), 55);
});

test('the common densities give real Stan numbers and messages', { skip }, () => {
  const densities = /^(double_exponential|binomial|dirichlet|lkj_corr_cholesky|bernoulli_logit)_lp[dm]f\//;
  assertNoneFails(runFunctions(join(REFERENCE, 'functions.jsonl'), densities), 50);
});

test('syntax errors stand where the real compiler finds them', { skip }, () => {
  assertNoneFails(runSyntax(join(REFERENCE, 'syntax.jsonl'), /^(lexer|parse|statement)/), 50);
});
