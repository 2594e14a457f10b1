import assert from 'node:assert/strict';
import { it } from 'node:test';
import { KnownFits } from './known-fits.js';
import type { WatchedEntry } from './watched-bucket.js';

/** A bucket in memory that reports its changes. */
class Bucket {
  private readonly entries = new Map<string, WatchedEntry>();
  private readonly listeners: ((key: string) => void)[] = [];

  get = (key: string): WatchedEntry | undefined => this.entries.get(key);
  all = (): IterableIterator<WatchedEntry> => this.entries.values();
  onChange = (listener: (key: string) => void): void => void this.listeners.push(listener);

  put(key: string, mark: string, bytes = 1): void {
    const text = `=${JSON.stringify({ mark, bytes })}`;
    this.entries.set(key, { key, revision: 1, text, written: 5, received: 0 });
    for (const listener of this.listeners) listener(key);
  }

  remove(key: string): void {
    this.entries.delete(key);
    for (const listener of this.listeners) listener(key);
  }
}

it('the fits of a model are listed with the latest first, as they are added, changed and removed', () => {
  const bucket = new Bucket();
  bucket.put('model.early', '1');
  const fits = new KnownFits(bucket);
  bucket.put('model.late', '3');
  bucket.put('other.fit', '9', 4);
  bucket.put('model.middle', '2');
  const ids = () => fits.of('model').map(({ id }) => id);
  assert.deepEqual(ids(), ['late', 'middle', 'early']);
  bucket.put('model.early', '4');
  assert.deepEqual(ids(), ['early', 'late', 'middle']);
  bucket.remove('model.late');
  assert.deepEqual(ids(), ['early', 'middle']);
  assert.deepEqual([fits.modelOf('fit'), fits.modelOf('late'), fits.of('none')], ['other', undefined, []]);
  assert.deepEqual(
    [...fits.all()].find(({ id }) => id === 'fit'),
    {
      id: 'fit',
      mark: '9',
      bytes: 4,
      modelId: 'other',
      used: 5,
    },
  );
});
