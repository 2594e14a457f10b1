import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CorpusModel } from '../corpus.js';
import { isOutOfTime, limited } from '../limited.js';
import type { Run } from './measure.js';
import type { NamedSampler } from './samplers.js';

const WARM_PROCESS = fileURLToPath(new URL('warm-process.js', import.meta.url));
/** Processor seconds of all samplers and seeds of a posterior. */
const LIMIT = 600;

/**
 * Runs samplers of Leapfrog alternately in one process, which has run a chain of each before. Runs that are known are omitted. If a chain of
 * the first sampler takes too long, the posterior has only this failure.
 */
export function warmRuns(
  { name, program }: CorpusModel,
  samplers: readonly NamedSampler[],
  seeds: readonly number[],
  known: readonly Run[],
): readonly Run[] {
  const wanted = seeds.flatMap((seed) =>
    samplers
      .filter((sampler) => !known.some((run) => run.sampler === sampler.name && run.seed === seed))
      .map((sampler) => ({ posterior: name, sampler: sampler.name, seed })),
  );
  const isLeftOut = known.some((run) => run.sampler === samplers[0].name && 'failure' in run);
  if (isLeftOut || wanted.length === 0) return [];
  const names = samplers.map((sampler) => sampler.name).join(',');
  const given = [WARM_PROCESS, dirname(program), names, JSON.stringify(wanted)];
  const [command, arguments_] = limited(LIMIT, [process.execPath, ...given]);
  try {
    return runsIn(execFileSync(command, arguments_, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
  } catch (error) {
    const finished = error instanceof Error && 'stdout' in error ? runsIn(String(error.stdout)) : [];
    const failure = isOutOfTime(error)
      ? { failure: `more than ${LIMIT} processor seconds for all runs`, limit: LIMIT }
      : { failure: 'the process failed' };
    const missing = wanted.filter(
      ({ sampler, seed }) => !finished.some((run) => run.sampler === sampler && run.seed === seed),
    );
    return [...finished, ...missing.map((subject) => ({ ...subject, ...failure }))];
  }
}

/** One run per line. */
function runsIn(lines: string): readonly Run[] {
  return lines.split('\n').flatMap((line): Run[] => (line.startsWith('{"posterior"') ? [JSON.parse(line)] : []));
}
