import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../project/tree.js';
import { runFunctions } from './functions.js';
import { runModels } from './models.js';
import { type Outcome, shares } from './outcome.js';
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

test('programs are accepted, refused, warned of, described and formatted as the real compiler does', { skip }, () => {
  const compared = shares([...runSyntax(join(REFERENCE, 'syntax.jsonl'), /./)]);
  const least = {
    verdict: 1,
    kind: 1,
    place: 0.97,
    message: 0.85,
    warnings: 0.95,
    pedantic: 0.95,
    info: 1,
    formatted: 1,
  };
  for (const [field, share] of Object.entries(least)) {
    const { same, all } = compared.get(field) ?? { same: 0, all: 0 };
    assert.ok(all > 0 && same >= share * all, `${field}: ${same} of ${all}`);
  }
});
