import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { evict, surplusOf } from './eviction.js';
import { type Entry, fitNameIn, Ledger, modelName } from './ledger.js';

/** A ledger of models (`a`) and fits (`a/x`) with sizes, the least recently used first. */
function ledgerOf(...entries: readonly (readonly [string, number])[]): Ledger {
  const ledger = new Ledger();
  for (const [name, bytes] of entries) add(ledger, name, bytes);
  return ledger;
}

function add(ledger: Ledger, name: string, bytes: number): void {
  const used = ledger.now();
  const [modelId, id] = name.split('/');
  const common = { modelId, bytes, used, noted: used };
  if (id === undefined) ledger.add({ ...common, name: modelName(modelId) });
  else ledger.add({ ...common, name: fitNameIn(modelId, id), fit: { id, folder: name, mark: '0' } });
}

function shortName({ fit, modelId }: Entry): string {
  return fit === undefined ? modelId : `${modelId}/${fit.id}`;
}

/** What is evicted, in order. `during` is called after each removal. */
async function evicted(
  ledger: Ledger,
  bytes: number,
  { during = () => undefined, sparesLatest = true }: { during?: () => void; sparesLatest?: boolean } = {},
): Promise<string[]> {
  const removed: string[] = [];
  const remove = async (entries: readonly Entry[]) => {
    for (const entry of entries) {
      ledger.remove(entry.name);
      removed.push(shortName(entry));
    }
    during();
  };
  await evict(ledger, remove, { bytes, sparesLatest });
  return removed;
}

describe('eviction', () => {
  test('removes nothing within the limit', () => {
    assert.deepEqual(surplusOf(ledgerOf(['a', 50], ['a/x', 50]), { bytes: 100, sparesLatest: true }), []);
  });

  test('removes the least recently used fits first, and keeps models', async () => {
    const ledger = ledgerOf(['a', 10], ['b', 10], ['b/x', 30], ['b/y', 30], ['b/z', 30]);
    assert.deepEqual(await evicted(ledger, 80), ['b/x']);
  });

  test('removes models instead if fits take at most half of the limit', async () => {
    const ledger = ledgerOf(['a', 40], ['b', 40], ['c', 10], ['c/x', 20], ['c/y', 20]);
    assert.deepEqual(await evicted(ledger, 100), ['a']);
  });

  test('removes models without fits before models with fits', async () => {
    const ledger = ledgerOf(['a', 40], ['a/x', 1], ['b', 40], ['c', 40]);
    assert.deepEqual(await evicted(ledger, 90), ['b']);
    add(ledger, 'd', 5);
    add(ledger, 'd/x', 1);
    // The only model without fits is the latest one.
    ledger.remove('models/c');
    add(ledger, 'c', 40);
    assert.deepEqual(await evicted(ledger, 50), ['a/x', 'a']);
  });

  test('never removes a model in place of fits in use', async () => {
    const ledger = ledgerOf(['a', 10], ['b', 10], ['b/x', 60], ['b/y', 60]);
    const release = ledger.hold('models/b/fits/x');
    ledger.hold('models/b/fits/y');
    assert.deepEqual(await evicted(ledger, 100), []);
    release();
    assert.deepEqual(await evicted(ledger, 100), ['b/x']);
  });

  test('keeps models in use, by themselves or by a fit', async () => {
    const ledger = ledgerOf(['a', 40], ['b', 40], ['b/x', 1], ['c', 40], ['d', 1]);
    ledger.hold('models/a');
    ledger.hold('models/b/fits/x/folder');
    assert.deepEqual(await evicted(ledger, 10), ['c']);
  });

  test('keeps the latest fit and the latest model, unless everything is cleared', async () => {
    const ledger = ledgerOf(['a', 10], ['a/x', 100], ['a/y', 500]);
    assert.deepEqual(await evicted(ledger, 50), ['a/x']);
    assert.deepEqual(await evicted(ledger, 0, { sparesLatest: false }), ['a/y', 'a']);
  });

  test('considers what has been stored while it removed', async () => {
    const ledger = ledgerOf(['a', 10], ['b', 10], ['b/x', 30], ['b/y', 30], ['b/z', 30]);
    let left = 5;
    const during = () => {
      if (left-- > 0) add(ledger, `b/${left}`, 30);
    };
    const removed = await evicted(ledger, 100, { during });
    assert.deepEqual(removed, ['b/x', 'b/y', 'b/z', 'b/4', 'b/3', 'b/2']);
    assert.ok(ledger.bytes() <= 100);
    assert.ok(ledger.get('models/a') && ledger.get('models/b'));
  });

  test('tries an entry that cannot be removed once, and continues with others', async () => {
    const ledger = ledgerOf(['b', 10], ['b/x', 60], ['b/y', 30], ['b/z', 30]);
    const tried: string[] = [];
    const remove = async ([entry]: readonly Entry[]) => {
      tried.push(shortName(entry));
      if (shortName(entry) === 'b/x') throw new Error('permission denied');
      ledger.remove(entry.name);
    };
    await evict(ledger, remove, { bytes: 100, sparesLatest: true });
    assert.deepEqual(tried, ['b/x', 'b/y']);
  });

  test('is exact for random entries', async () => {
    let state = 1;
    const random = (below: number) => {
      state = (state * 48271) % 2147483647;
      return state % below;
    };
    for (let trial = 0; trial < 300; trial++) {
      const ledger = new Ledger();
      for (let k = 0; k < 12; k++) {
        const model = 'abcdef'[random(6)];
        if (ledger.get(modelName(model)) === undefined) add(ledger, model, 1 + random(40));
        if (random(2) === 0) {
          add(ledger, `${model}/${k}`, 1 + random(40));
          const entry = ledger.get(modelName(model));
          if (entry !== undefined) ledger.add({ ...entry, used: ledger.now() });
        }
      }
      const all = ledger.all();
      const held = all.filter(() => random(4) === 0);
      for (const { name } of held) ledger.hold(name);
      const limit = random(150);
      await evicted(ledger, limit);
      for (const { name } of held) assert.ok(ledger.get(name), `trial ${trial}: ${name} is held`);
      const left = ledger.all();
      for (const { modelId } of left) assert.ok(ledger.get(modelName(modelId)), 'no fit remains without its model');
      const fits = left.filter(({ fit }) => fit !== undefined);
      const size = (entries: readonly Entry[]) => entries.reduce((sum, { bytes }) => sum + bytes, 0);
      if (ledger.bytes() <= limit || size(fits) <= limit / 2) continue;
      // Only fits in use and the latest one may exceed their half.
      const latest = all.filter(({ fit }) => fit !== undefined).at(-1);
      for (const fit of fits) assert.ok(ledger.isHeld(fit.name) || fit === latest, `trial ${trial}: ${fit.name}`);
    }
  });
});
