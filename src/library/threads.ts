import { leapfrogModels } from '../chain/leapfrog-models.js';
import type { ModelHost } from '../chain/model-host.js';
import type { SentEvent } from './events.js';
import type { KernelBytes, Platform, Thread } from './platform.js';
import type { Job, Result, Said, Setup, ThreadKind } from './protocol.js';

export interface JobOptions {
  /** Aborting this signal ends the job and its thread. */
  readonly signal?: AbortSignal | undefined;
  readonly receive?: (events: readonly SentEvent[]) => void;
}

/** A job that is waiting for a thread or running in one. */
interface Pending {
  readonly job: Job;
  readonly receive: (events: readonly SentEvent[]) => void;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

interface Started {
  readonly thread: Thread;
  doing: Pending | undefined;
}

/** Checks of data have their own thread: they are not delayed by runs, and can be ended early. */
type CrewName = ThreadKind | 'checker';

/** The threads that do each job. */
const DOERS: Readonly<Record<Job['kind'], CrewName>> = {
  compile: 'compiler',
  describe: 'compiler',
  call: 'compiler',
  profile: 'compiler',
  'match moments': 'compiler',
  'estimate evidence': 'compiler',
  observe: 'compiler',
  'check data': 'checker',
  'check inputs': 'runner',
  run: 'runner',
  summarize: 'statistics',
  'leave out': 'statistics',
  place: 'statistics',
};

function isResult<Kind extends Result['kind']>(
  result: Result,
  kind: Kind,
): result is Extract<Result, { readonly kind: Kind }> {
  return result.kind === kind;
}

/** Maximum number of threads for statistics. Draws are copied for each thread. */
const MOST_FOR_STATISTICS = 4;

/** The threads of a platform. There is one queue of jobs per crew, and a thread runs one job at a time. */
export class Threads {
  private readonly platform: Platform;
  private readonly crews: Readonly<Record<CrewName, Crew>>;
  private kernels: Promise<LoadedKernels> | undefined;

  constructor(platform: Platform) {
    this.platform = platform;
    const crew = (kind: ThreadKind, most: number) => new Crew(platform, kind, most, () => this.setup(kind));
    this.crews = {
      compiler: crew('compiler', 1),
      runner: crew('runner', platform.parallelism),
      checker: crew('runner', 1),
      statistics: crew('statistics', Math.min(MOST_FOR_STATISTICS, platform.parallelism)),
    };
  }

  /** Number of threads that run concurrently. */
  get parallelism(): number {
    return this.platform.parallelism;
  }

  /** A host of models for the calling thread. */
  async modelHost(): Promise<ModelHost> {
    const { linear } = await this.loadKernels();
    return leapfrogModels(linear, this.platform.sharing);
  }

  /**
   * Runs a job in a thread and returns its result. Rejects with the signal's reason after an abort, and for internal
   * faults.
   */
  async perform<Kind extends Result['kind']>(
    job: Job,
    answer: Kind,
    options: JobOptions = {},
  ): Promise<Extract<Result, { readonly kind: Kind }>> {
    const result = await this.crews[DOERS[job.kind]].perform(job, options);
    if (isResult(result, answer)) return result;
    throw new Error(`unexpected result of the job ${job.kind}: ${result.kind}`);
  }

  /** Stops every thread and rejects pending jobs. The next job starts threads again. */
  close(): void {
    for (const crew of Object.values(this.crews)) crew.close();
  }

  private async setup(kind: ThreadKind): Promise<Setup> {
    if (kind === 'statistics') return { kind: 'set up statistics' };
    const { bytes, linear } = await this.loadKernels();
    return kind === 'compiler' ? { kind: 'set up compiler', kernels: bytes } : { kind: 'set up runner', linear };
  }

  /** Loads the kernels once. After a failure, the next job retries. */
  private loadKernels(): Promise<LoadedKernels> {
    this.kernels ??= this.platform
      .loadKernels()
      .then(async (bytes) => ({ bytes, linear: await WebAssembly.compile(bytes.linear) }))
      .catch((error: unknown) => {
        this.kernels = undefined;
        throw error;
      });
    return this.kernels;
  }
}

interface LoadedKernels {
  readonly bytes: KernelBytes;
  readonly linear: WebAssembly.Module;
}

/** Threads of one type. */
class Crew {
  private readonly platform: Platform;
  private readonly kind: ThreadKind;
  private readonly most: number;
  private readonly setup: () => Promise<Setup>;
  private readonly started = new Set<Started>();
  private queue: Pending[] = [];
  /** Threads that are starting. */
  private coming = 0;

  constructor(platform: Platform, kind: ThreadKind, most: number, setup: () => Promise<Setup>) {
    this.platform = platform;
    this.kind = kind;
    this.most = most;
    this.setup = setup;
  }

  perform(job: Job, { receive = () => undefined, signal }: JobOptions): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const pending: Pending = {
        job,
        receive,
        resolve: (result) => {
          signal?.removeEventListener('abort', abort);
          resolve(result);
        },
        reject: (reason) => {
          signal?.removeEventListener('abort', abort);
          reject(reason);
        },
      };
      const abort = () => this.cancel(pending, signal?.reason);
      signal?.addEventListener('abort', abort);
      this.queue.push(pending);
      this.assign();
    });
  }

  close(): void {
    const reason = new Error('the threads were closed');
    for (const pending of this.queue.splice(0)) pending.reject(reason);
    for (const each of [...this.started]) this.drop(each, reason);
  }

  private assign(): void {
    for (const each of this.started) {
      if (each.doing !== undefined) continue;
      const next = this.queue.shift();
      if (next === undefined) return;
      each.doing = next;
      each.thread.hold(true);
      each.thread.post(next.job);
    }
    while (this.queue.length > this.coming && this.started.size + this.coming < this.most) this.start();
  }

  private async start(): Promise<void> {
    this.coming += 1;
    let failure: unknown;
    try {
      const setup = await this.setup();
      const each: Started = {
        thread: this.platform.startThread(this.kind, {
          receive: (said) => this.receive(each, said),
          fail: (error) => {
            this.drop(each, error);
            this.assign();
          },
        }),
        doing: undefined,
      };
      each.thread.hold(false);
      each.thread.post(setup);
      this.started.add(each);
    } catch (error) {
      failure = error;
    }
    this.coming -= 1;
    if (failure === undefined) this.assign();
    else for (const pending of this.queue.splice(0)) pending.reject(failure);
  }

  private receive(each: Started, said: Said): void {
    const { doing } = each;
    if (said.kind === 'events') {
      doing?.receive(said.events);
      return;
    }
    if (said.kind === 'fault') {
      this.drop(each, new Error(said.report));
    } else {
      each.doing = undefined;
      each.thread.hold(false);
      doing?.resolve(said.result);
    }
    this.assign();
  }

  private cancel(pending: Pending, reason: unknown): void {
    const waiting = this.queue.indexOf(pending);
    if (waiting >= 0) {
      this.queue.splice(waiting, 1);
      pending.reject(reason);
    }
    const each = [...this.started].find(({ doing }) => doing === pending);
    if (each !== undefined) this.drop(each, reason);
    this.assign();
  }

  /** Stops a thread and rejects its job. */
  private drop(each: Started, reason: unknown): void {
    this.started.delete(each);
    each.thread.terminate();
    each.doing?.reject(reason);
    each.doing = undefined;
  }
}
