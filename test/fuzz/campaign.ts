import { type ChildProcess, fork } from 'node:child_process';
import { caseOf, type Family } from './cases.js';
import { corpus } from './corpus.js';
import { processorTime } from './processor-time.js';
import type { Report } from './worker.js';

/** Maximum processor time of a case until its program runs, in milliseconds; far above the limit of the examination. */
const LONGEST_WAIT = 120_000;
/** Likewise the maximum for running programs without faults, all of which end, and programs with faults, which may be endless. */
const LONGEST_EVALUATION = { faultless: 120_000, faulty: 5_000 };
/** Factor by which elapsed time may exceed this while a case waits for a processor. */
const LONGEST_STARVATION = 20;

export interface CampaignResult {
  /** The number of cases, by origin and ending. */
  readonly counts: Readonly<Record<string, number>>;
  /** Failures: the seed, the problem and the program of each. */
  readonly findings: readonly string[];
}

export interface CampaignOptions {
  /** By default, programs of all origins. */
  readonly family?: Family;
  readonly first: number;
  readonly count: number;
  readonly processes: number;
  readonly onFinding?: (finding: string) => void;
  readonly onProgress?: (done: number) => void;
}

/** Whether the case is a valid program that can be evaluated and ends. */
function isFaultless({ origin }: { readonly origin: string }): boolean {
  return origin === 'solvers';
}

/**
 * Examines the cases of `count` seeds in separate processes, so that a program that never ends can be stopped and a process that dies is
 * detected.
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
      /** The time limit does not apply while a process waits for a processor because others are busy. */
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
