import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { DrawFile } from '../../fit-files/draw-file.js';
import { onEndingSignal } from '../../node/signals.js';
import { RunFiles } from './outputs.js';

describe('RunFiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'leapfrog-outputs-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const drawFile = (name: string): DrawFile => ({
    path: join(folder, name),
    holds: 'draw',
    run: {
      function: 'stan::services::sample::hmc_nuts_diag_e_adapt',
      arguments: {},
      seed: 1,
      created: '',
      run: '',
      program: 'model',
      chain: 1,
      files: {},
    },
  });

  it('creates files without giving up the listeners of signals, so that an interrupted run can remove them', () => {
    const detach = onEndingSignal(() => undefined);
    let removed = 0;
    const count = (): void => {
      removed += 1;
    };
    process.on('removeListener', count);
    try {
      const files = new RunFiles([[drawFile('one.csv')], [drawFile('two.csv')]]);
      assert.equal(statSync(join(folder, 'one.csv')).size, 0);
      files.release();
      assert.equal(statSync(join(folder, 'one.csv'), { throwIfNoEntry: false }), undefined);
    } finally {
      process.off('removeListener', count);
      detach();
    }
    assert.equal(removed, 0);
  });
});
