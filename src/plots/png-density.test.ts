import assert from 'node:assert/strict';
import { it } from 'node:test';
import { crc32 } from 'node:zlib';
import { withDotsPerInch } from './png-density.js';

it('inserts the resolution in pixels per meter between the header and the picture', () => {
  const png = Uint8Array.from({ length: 60 }, (_, k) => k);
  const made = Buffer.from(withDotsPerInch(png, 300));
  assert.deepEqual([...made.subarray(0, 33)], [...png.subarray(0, 33)]);
  assert.deepEqual([...made.subarray(33 + 21)], [...png.subarray(33)]);
  const chunk = made.subarray(33, 33 + 21);
  assert.equal(chunk.readUInt32BE(0), 9);
  assert.equal(chunk.toString('latin1', 4, 8), 'pHYs');
  assert.deepEqual([chunk.readUInt32BE(8), chunk.readUInt32BE(12), chunk[16]], [11811, 11811, 1]);
  assert.equal(chunk.readUInt32BE(17), crc32(chunk.subarray(4, 17)));
});
