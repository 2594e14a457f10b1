import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Entry, fitNameIn, Ledger, modelName } from './ledger.js';

test('The most recently used entry is evicted last, even if the clock was set back in between.', (context) => {
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

const model = (modelId: string, bytes = 1): Entry => ({
  name: modelName(modelId),
  modelId,
  bytes,
  used: 0,
  noted: 0,
});

const fit = (modelId: string, id: string, bytes = 1): Entry => ({
  ...model(modelId, bytes),
  name: fitNameIn(modelId, id),
  fit: { id, folder: `${id}-1`, mark: '1' },
});

test('Uses within one millisecond have increasing times.', (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: 5_000 });
  const ledger = new Ledger();
  assert.equal(ledger.now(), 5_000);
  ledger.add({ ...model('a'), used: 5_000 });
  assert.equal(ledger.now(), 5_001);
  ledger.add({ ...model('b'), used: 6_000.5 });
  assert.equal(ledger.now(), 6_001);
});

test('A clock at zero gives times from 1.', (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: 0 });
  assert.equal(new Ledger().now(), 1);
});

test('The size is the sum of the entries. A repeated entry replaces the earlier one.', () => {
  const ledger = new Ledger();
  assert.equal(ledger.bytes(), 0);
  ledger.add(model('a', 10));
  ledger.add(fit('a', 'x', 100));
  assert.equal(ledger.bytes(), 110);
  ledger.add(fit('a', 'x', 300));
  assert.equal(ledger.bytes(), 310);
  ledger.remove(modelName('b'));
  assert.equal(ledger.bytes(), 310);
  ledger.remove(fitNameIn('a', 'x'));
  assert.equal(ledger.bytes(), 10);
  assert.equal(ledger.get(fitNameIn('a', 'x')), undefined);
});

test('Fits are listed by their model until they are removed.', () => {
  const ledger = new Ledger();
  const fits = () => ledger.fitsOf('a').map(({ name, bytes }) => [name, bytes]);
  const [x, y] = ['x', 'y'].map((id) => fitNameIn('a', id));
  ledger.add(model('a'));
  assert.deepEqual(fits(), []);
  for (const each of [fit('a', 'x', 2), fit('a', 'y', 3), fit('b', 'z'), fit('a', 'x', 4)]) ledger.add(each);
  assert.deepEqual(fits(), [
    [x, 4],
    [y, 3],
  ]);
  const [found] = ledger.fitsOf('a');
  assert.equal(ledger.modelOf(found)?.name, modelName('a'));
  ledger.remove(x);
  assert.deepEqual(fits(), [[y, 3]]);
  ledger.remove(modelName('a'));
  assert.deepEqual(fits(), [[y, 3]]);
  ledger.remove(y);
  assert.deepEqual(fits(), []);
  assert.equal(ledger.fitsOf('b').length, 1);
});

test('A model is held while one of its fits or parts is held, until every hold is released.', () => {
  const ledger = new Ledger();
  const [name, fitName] = [modelName('a'), fitNameIn('a', 'x')];
  assert.equal(ledger.isHeld(name), false);
  const releases = [ledger.hold(fitName), ledger.hold(fitName), ledger.hold(`${fitName}/draws`)];
  assert.deepEqual(
    [name, fitName, modelName('ab'), fitNameIn('a', 'xy')].map((each) => ledger.isHeld(each)),
    [true, true, false, false],
  );
  releases[0]();
  releases[0]();
  releases[2]();
  assert.equal(ledger.isHeld(fitName), true, 'a hold that is released twice counts once');
  releases[1]();
  assert.equal(ledger.isHeld(fitName), false);
  assert.equal(ledger.isHeld(name), false);
});
