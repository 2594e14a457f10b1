import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelsFolder, SYNTAX_CASES } from '../reference/stan.js';
import { runModels } from './models.js';
import { shares } from './outcome.js';
import { runSyntax } from './syntax.js';

test('every reference model agrees with real Stan, 1e-9, or is rejected as unsupported', () => {
  const outcomes = [...runModels(modelsFolder(), /./)];
  assert.deepEqual(
    outcomes.filter(({ verdict }) => verdict === 'failed'),
    [],
  );
  assert.ok(outcomes.filter(({ verdict }) => verdict === 'passed').length >= 96);
});

test('stanc accepts, rejects, warns about, describes and formats the same programs in the same way', () => {
  const compared = shares(SYNTAX_CASES.flatMap((path) => [...runSyntax(path, /./)]));
  const least = {
    verdict: 1,
    kind: 1,
    place: 1,
    headline: 1,
    message: 1,
    text: 0.985,
    warnings: 1,
    pedantic: 1,
    info: 1,
    formatted: 1,
  };
  for (const [field, share] of Object.entries(least)) {
    const { same, all } = compared.get(field) ?? { same: 0, all: 0 };
    assert.ok(all > 0 && same >= share * all, `${field}: ${same} of ${all}`);
  }
});
