import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Disk, type Fate, File, Folder, type Tree } from './disk.js';

const NOTHING: Fate = { nameArrives: () => false, pageArrives: () => 'not at all' };
const NAMES: Fate = { nameArrives: () => true, pageArrives: () => 'not at all' };
const LENGTHS: Fate = { nameArrives: () => true, pageArrives: () => 'zeros' };
const EVERYTHING: Fate = { nameArrives: () => true, pageArrives: () => 'whole' };

const TEXT = Buffer.from('text');

/** A disk on which a file was written under another name and renamed; the options state which parts were synced. */
function renamed({ syncsFile, syncsFolder }: { syncsFile: boolean; syncsFolder: boolean }): Disk {
  const disk = new Disk(new Map([['file', Buffer.from('old')]]));
  const file = new File();
  disk.add(['new'], file, 10);
  disk.write(file, 0, TEXT, 20);
  if (syncsFile) disk.sync(file, 30);
  disk.move(['new'], ['file'], 40);
  if (syncsFolder) disk.sync(disk.root, 50);
  return disk;
}

function texts(tree: Tree): Record<string, string> {
  return Object.fromEntries([...tree].map(([name, content]) => [name, content.toString()]));
}

test('a name that was not synced may be the old one or the new one', () => {
  const disk = renamed({ syncsFile: true, syncsFolder: false });
  assert.deepEqual(texts(disk.remains(NOTHING)), { file: 'old' });
  assert.deepEqual(texts(disk.remains(NAMES)), { file: 'text' });
});

test('bytes that were not synced may be missing even if the name exists', () => {
  const disk = renamed({ syncsFile: false, syncsFolder: true });
  assert.deepEqual(texts(disk.remains(NOTHING)), { file: '' });
  assert.deepEqual(texts(disk.remains(LENGTHS)), { file: '\0\0\0\0' });
  assert.deepEqual(texts(disk.remains(EVERYTHING)), { file: 'text' });
});

test('synced data exist whatever happens to the rest', () => {
  const disk = renamed({ syncsFile: true, syncsFolder: true });
  for (const fate of [NOTHING, NAMES, LENGTHS, EVERYTHING]) {
    assert.deepEqual(texts(disk.remains(fate)), { file: 'text' });
  }
});

test('writes after the start of a sync are not certain even if they were made before its end', () => {
  const disk = new Disk();
  const file = new File();
  disk.add(['file'], file, 10);
  disk.write(file, 0, TEXT, 20);
  disk.write(file, 4, TEXT, 40);
  disk.sync(file, 30);
  disk.sync(disk.root, 30);
  assert.deepEqual(texts(disk.remains(NOTHING)), { file: 'text' });
});

test('a folder contains the names that were synced, and is removed as a whole', () => {
  const disk = new Disk();
  const [one, other] = [new Folder(), new Folder()];
  disk.add(['one'], one, 10);
  disk.add(['other'], other, 10);
  const [certain, doubtful] = [new File(), new File()];
  disk.add(['one', 'certain'], certain, 20);
  disk.sync(one, 30);
  disk.add(['one', 'doubtful'], doubtful, 40);
  disk.move(['one'], ['other', 'moved'], 50);
  assert.deepEqual([...disk.remains(NOTHING)], []);
  // The disk must record the creation of the folder to know its path.
  disk.sync(other, 60);
  disk.sync(disk.root, 60);
  const moved = disk.remains(NOTHING).get('other');
  assert.deepEqual(moved, new Map([['moved', new Map([['certain', Buffer.alloc(0)]])]]));
  assert.equal(disk.remains(NOTHING).has('one'), false);
});

test('a page of a write may be missing in the middle', () => {
  const disk = new Disk();
  const file = new File();
  disk.add(['file'], file, 10);
  disk.write(file, 0, Buffer.alloc(3 * 4096, 'x'), 20);
  disk.sync(disk.root, 30);
  let page = 0;
  const torn = disk.remains({ ...NOTHING, pageArrives: () => (page++ === 1 ? 'not at all' : 'whole') }).get('file');
  assert.deepEqual(torn, Buffer.concat([Buffer.alloc(4096, 'x'), Buffer.alloc(4096), Buffer.alloc(4096, 'x')]));
});
