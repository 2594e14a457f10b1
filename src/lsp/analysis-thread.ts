/** Sends requests to the analysis thread one at a time, and starts a new thread if one fails or takes too long. */
import { MessageChannel, type Worker } from 'node:worker_threads';
import type { ProgramText } from '../derive/program-text.js';
import { startThread } from '../node/entries.js';
import type { Answers, Kind, QuestionOf } from './questions.js';

/** Time limit of an analysis in milliseconds. */
const TIME_LIMIT = 20_000;
/** MiB of the thread's heap. */
const HEAP_LIMIT = 1024;

/** An analysis without a result, because of a defect or a limit. */
export class AnalysisFailure extends Error {
  override readonly name = 'AnalysisFailure';
}

interface Job {
  /** Jobs that the user waits for take precedence. */
  readonly isUrgent: boolean;
  run(worker: Worker): Promise<void>;
}

type Reply<K extends Kind> = { readonly answer: Answers[K] } | { readonly failure: string };

export class AnalysisThread {
  readonly #waiting: Job[] = [];
  #worker: Worker | undefined;
  #isBusy = false;

  /** Rejects with `AnalysisFailure`. Requests for reports and `unsupported` wait until there are no other requests. */
  ask<K extends Kind>(root: string, program: ProgramText, question: QuestionOf<K>): Promise<Answers[K]> {
    return new Promise((resolve, reject) => {
      const run = async (worker: Worker) => {
        try {
          resolve(await this.#exchange(worker, root, program, question));
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push({ isUrgent: question.kind !== 'report' && question.kind !== 'unsupported', run });
      void this.#work();
    });
  }

  async end(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const urgent = this.#waiting.findIndex(({ isUrgent }) => isUrgent);
      const [job] = this.#waiting.splice(Math.max(0, urgent), 1);
      this.#worker ??= this.#start();
      await job.run(this.#worker);
    }
    this.#isBusy = false;
  }

  #start(): Worker {
    const worker = startThread('analysis-worker', new URL('./analysis-worker.js', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT },
      // Standard output carries the protocol.
      stdout: true,
    });
    const forget = () => {
      if (this.#worker === worker) this.#worker = undefined;
    };
    worker.on('error', forget);
    worker.on('exit', forget);
    worker.unref();
    return worker;
  }

  #exchange<K extends Kind>(worker: Worker, root: string, program: ProgramText, question: QuestionOf<K>) {
    const { port1, port2 } = new MessageChannel();
    let timer: NodeJS.Timeout | undefined;
    return new Promise<Answers[K]>((resolve, reject) => {
      const fail = (reason: string) => reject(new AnalysisFailure(`${question.kind} of ${root}: ${reason}`));
      const failed = (error: Error) => fail(error.message);
      const exited = () => fail('the thread has ended');
      timer = setTimeout(() => {
        fail(`no result within ${TIME_LIMIT / 1000} s`);
        if (this.#worker === worker) this.#worker = undefined;
        void worker.terminate();
      }, TIME_LIMIT);
      worker.once('error', failed).once('exit', exited);
      port1.once('message', (reply: Reply<K>) => {
        worker.off('error', failed).off('exit', exited);
        if ('failure' in reply) fail(reply.failure);
        else resolve(reply.answer);
      });
      worker.postMessage({ root, program, question, port: port2 }, [port2]);
    }).finally(() => {
      clearTimeout(timer);
      port1.close();
    });
  }
}
