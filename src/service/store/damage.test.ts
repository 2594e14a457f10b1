import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeDamage } from './damage.js';

const MODEL = 'm'.repeat(24);
const FIT = 'f'.repeat(24);
const FOLDER = `${MODEL}.${FIT}.01a20e06e33fcf5d`;

/** Paths of damaged files, and their description for users. */
const FOUND: readonly (readonly [string, string])[] = [
  [`/store/fits/${FOLDER}.72900/chain-1.json`, `the file chain-1.json of the fit models/${MODEL}/fits/${FIT}`],
  [`/cache/fits/${FOLDER}.72900.tmp/chain-1.json`, `the file chain-1.json of the fit models/${MODEL}/fits/${FIT}`],
  [FOLDER, `the record of the fit models/${MODEL}/fits/${FIT}`],
  [`/store/models/${MODEL}/model.json`, `the file model.json of the model models/${MODEL}`],
  [`/store/operations/running/${FIT}.json`, `the record of the operation operations/${FIT}`],
  [FIT, `the record of the operation operations/${FIT}`],
  [`${MODEL}.${FIT}.1`, `the value ${MODEL}.${FIT}.1`],
];

it('describes a damaged file by the resource that it belongs to', () => {
  for (const [path, what] of FOUND) assert.equal(describeDamage({ path, flaw: 'checksum' }).what, what);
});
