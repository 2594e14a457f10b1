import { type ChildProcess, fork } from 'node:child_process';
import { caseOf, type Family } from './cases.js';
import { corpus } from './corpus.js';
import { processorTime } from './processor-time.js';
import type { Report } from './worker.js';

/** Milliseconds of a processor that a case may take until its program runs; far above what the examination allows. */
const LONGEST_WAIT = 120_000;
/** Likewise that programs without faults may run, which all end, and those with faults, which may be endless. */
const LONGEST_EVALUATION = { faultless: 120_000, faulty: 5_000 };
/** Factor by which this may be exceeded while waiting for a processor. */
const LONGEST_STARVATION = 20;

export interface CampaignResult {
  /** How many cases ended where, by origin and ending. */
  readonly counts: Readonly<Record<string, number>>;
  /** What must not happen: the seed, the problem and the program of each. */
  readonly findings: readonly string[];
}

export interface CampaignOptions {
  /** Programs of every sort where it is not given. */
  readonly family?: Family;
  readonly first: number;
  readonly count: number;
  readonly processes: number;
  readonly onFinding?: (finding: string) => void;
  readonly onProgress?: (done: number) => void;
}

/** Whether the case is a program that is right, can be evaluated, and ends. */
function isFaultless({ origin }: { readonly origin: string }): boolean {
  return origin === 'solvers';
}

/**
 * Examines the cases of `count` seeds in separate processes, so that a program that never ends is stopped and a
 * process that dies is noticed.
 */
export async function campaign(options: CampaignOptions): Promise<CampaignResult> {
  const { family = 'programs', first, count, processes, onFinding = () => {}, onProgress = () => {} } = options;
  const counts = new Map<string, number>();
  const findings: string[] = [];
  let next = first;
  let done = 0;

  const count1 = (what: string): void => {
    counts.set(what, (counts.get(what) ?? 0) + 1);
    done++;
    onProgress(done);
  };
  const found = (seed: number, problem: string): void => {
    const { origin, text } = caseOf(seed, family, corpus);
    const finding = `seed ${seed} (${origin}): ${problem}\n----\n${text}\n----`;
    findings.push(finding);
    onFinding(finding);
    count1(`${origin}: finding`);
  };

  const serve = (): Promise<void> =>
    new Promise((resolve) => {
      let child: ChildProcess;
      let seed: number | undefined;
      let timer: NodeJS.Timeout | undefined;
      /** A process that gets no processor for a while, because others are busy, has its time all the same. */
      const limit = (milliseconds: number, expire: () => void): void => {
        clearTimeout(timer);
        const { pid } = child;
        const [begun, end] = [processorTime(pid), performance.now() + LONGEST_STARVATION * milliseconds];
        const look = (): void => {
          const left = milliseconds - (processorTime(pid) - begun);
          if (left > 0 && performance.now() < end) timer = setTimeout(look, left);
          else expire();
        };
        timer = setTimeout(look, milliseconds);
      };
      const advance = (): void => {
        clearTimeout(timer);
        seed = next < first + count ? next++ : undefined;
        if (seed === undefined) {
          child.removeAllListeners();
          child.kill();
          resolve();
          return;
        }
        const current = seed;
        child.send({ seed, family });
        limit(LONGEST_WAIT, () => {
          found(current, 'compilation does not end');
          restart();
        });
      };
      const restart = (): void => {
        child.removeAllListeners();
        child.kill('SIGKILL');
        start();
      };
      const receive = (report: Report): void => {
        switch (report.kind) {
          case 'evaluating': {
            const faultless = isFaultless(report);
            limit(LONGEST_EVALUATION[faultless ? 'faultless' : 'faulty'], () => {
              if (faultless) found(report.seed, 'evaluation does not end');
              else count1('endless');
              restart();
            });
            return;
          }
          case 'done':
            if (isFaultless(report) && report.ending !== 'evaluated')
              found(report.seed, `a right program is ${report.ending}`);
            else count1(`${report.origin}: ${report.ending}`);
            advance();
            return;
          case 'finding':
            found(report.seed, report.problem);
            advance();
            return;
          case 'ready':
            advance();
        }
      };
      const start = (): void => {
        clearTimeout(timer);
        child = fork(new URL(`./worker${import.meta.url.slice(-3)}`, import.meta.url));
        child.on('message', receive);
        child.on('exit', (code, signal) => {
          if (seed !== undefined) found(seed, `the process ended: ${code ?? signal}`);
          start();
        });
      };
      start();
    });

  await Promise.all(Array.from({ length: processes }, serve));
  return { counts: Object.fromEntries([...counts].sort()), findings };
}
