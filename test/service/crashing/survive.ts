import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '../../support/serving.js';
import { runUndisturbed } from './kinds.js';
import { Speaker } from './speaker.js';
import { runTrial } from './trial.js';

/** Number of bytes of a few small fits. */
const SMALL_CACHE = 400_000;

export interface Survived {
  /** The numbers of kills and of problems. */
  readonly report: string;
  readonly problems: readonly string[];
}

/** Kills servers on a store without a limit, and on one that is too small for the requests of the clients. */
export async function survive(trial: { seed: number; kills: number; killsWithEviction: number }): Promise<Survived> {
  const undisturbed = await serve();
  const kinds = await runUndisturbed(new Speaker(undisturbed.address)).finally(undisturbed.stop);
  const { seed } = trial;
  const lasting = await surviveOn({ seed, kinds, kills: trial.kills });
  const evicting = await surviveOn({ seed: seed + 1, kinds, kills: trial.killsWithEviction, cacheSize: SMALL_CACHE });
  return {
    report: `${lasting.report}; with a small cache: ${evicting.report}`,
    problems: [...lasting.problems, ...evicting.problems],
  };
}

async function surviveOn(options: Omit<Parameters<typeof runTrial>[0], 'store'>): Promise<Survived> {
  const store = await mkdtemp(join(tmpdir(), 'leapfrog-crash-'));
  try {
    const expectations = await runTrial({ ...options, store });
    const left = (await readdir(join(store, 'temporary'))).map((name) => `${name} is left in temporary/`);
    return { report: expectations.toString(), problems: [...expectations.problems, ...left] };
  } finally {
    await rm(store, { recursive: true, force: true });
  }
}
