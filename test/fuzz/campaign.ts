import { type ChildProcess, fork } from 'node:child_process';
import { caseOf } from './cases.js';
import { corpus } from './corpus.js';
import type { Report } from './worker.js';

/** Milliseconds that a case may take, until its program runs and from then on; far above what the examination allows. */
const LONGEST_COMPILATION = 60_000;
const LONGEST_EVALUATION = 5_000;

export interface CampaignResult {
  /** How many cases ended where, by origin and ending. */
  readonly counts: Readonly<Record<string, number>>;
  /** What must not happen: the seed, the problem and the program of each. */
  readonly findings: readonly string[];
}

export interface CampaignOptions {
  readonly first: number;
  readonly count: number;
  readonly processes: number;
  readonly onFinding?: (finding: string) => void;
  readonly onProgress?: (done: number) => void;
}

/**
 * Examines the cases of `count` seeds in processes of their own, so that a program that never ends is stopped and a
 * process that dies is noticed.
 */
export async function campaign(options: CampaignOptions): Promise<CampaignResult> {
  const { first, count, processes, onFinding = () => {}, onProgress = () => {} } = options;
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
    const { origin, text } = caseOf(seed, corpus());
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
      const limit = (milliseconds: number, expire: () => void): void => {
        clearTimeout(timer);
        timer = setTimeout(expire, milliseconds);
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
        child.send({ seed });
        limit(LONGEST_COMPILATION, () => {
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
          case 'evaluating':
            limit(LONGEST_EVALUATION, () => {
              count1('endless');
              restart();
            });
            return;
          case 'done':
            count1(`${report.origin}: ${report.ending}`);
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
