import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesBelow, read } from '../project/tree.js';

test('bundles contain only ASCII characters, because they are read as Latin-1', () => {
  const bundles = filesBelow('build/bundle', '.cjs');
  assert.ok(bundles.length > 10);
  assert.deepEqual(
    bundles.filter((bundle) => /[^\0-\x7f]/.test(read(bundle))),
    [],
  );
});
