import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from './ledger.js';

test('The last used entry is evicted last, even if the clock was set back in between.', (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: 5_000_000 });
  const ledger = new Ledger();
  const use = (modelId: string) =>
    ledger.add({ name: `models/${modelId}`, modelId, bytes: 1, used: ledger.now(), noted: 0 });
  for (const id of ['a', 'b', 'c']) use(id);
  context.mock.timers.setTime(1_000);
  use('a');
  use('d');
  context.mock.timers.setTime(9_000_000);
  use('b');
  assert.deepEqual(
    ledger.all().map(({ modelId }) => modelId),
    ['c', 'a', 'd', 'b'],
  );
});
