import { leapfrogModels } from '../chain/leapfrog-models.js';
import type { ModelHost } from '../chain/model-host.js';
import type { SpentTime } from '../fits/thread-need.js';
import { RunError } from './errors.js';
import type { SentEvent } from './events.js';
import type { Platform, Thread } from './platform.js';
import type { Job, KernelBytes, Result, Said, Setup, ThreadKind } from './protocol.js';

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
  readonly crew: CrewName;
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

const CREWS = ['compiler', 'runner', 'checker', 'statistics'] as const satisfies readonly CrewName[];

const KINDS: Readonly<Record<CrewName, ThreadKind>> = {
  compiler: 'compiler',
  runner: 'runner',
  checker: 'runner',
  statistics: 'statistics',
};

/** Crews whose idle threads also do the jobs of a crew: chains start in the thread that has compiled their program. */
const HELPERS: Readonly<Partial<Record<CrewName, CrewName>>> = { runner: 'compiler' };

function isResult<Kind extends Result['kind']>(
  result: Result,
  kind: Kind,
): result is Extract<Result, { readonly kind: Kind }> {
  return result.kind === kind;
}

/** Maximum number of threads for statistics. Draws are copied for each thread. */
const MOST_FOR_STATISTICS = 4;

/** The threads of a platform. A thread does one job at a time. */
export class Threads {
  private readonly platform: Platform;
  /** Maximum number of threads that do the jobs of each crew. */
  private readonly most: Readonly<Record<CrewName, number>>;
  private readonly started = new Set<Started>();
  private queue: Pending[] = [];
  /** Threads that are starting. */
  private readonly coming: Record<CrewName, number> = { compiler: 0, runner: 0, checker: 0, statistics: 0 };
  private kernels: Promise<LoadedKernels> | undefined;

  constructor(platform: Platform) {
    const { parallelism } = platform;
    this.platform = platform;
    this.most = {
      compiler: 1,
      runner: parallelism,
      checker: 1,
      statistics: Math.min(MOST_FOR_STATISTICS, parallelism),
    };
  }

  /** Number of threads that run concurrently. */
  get parallelism(): number {
    return this.platform.parallelism;
  }

  timeSoFar(): SpentTime {
    return this.platform.timeSoFar();
  }

  /** A host of models for the calling thread. */
  async modelHost(): Promise<ModelHost> {
    const { linear } = await this.loadKernels();
    return leapfrogModels(linear, this.platform.sharing);
  }

  /**
   * Runs a job in a thread and returns its result. Rejects with `RunError` if the program fails, with the signal's reason
   * after an abort, and for internal faults.
   */
  async perform<Kind extends Result['kind']>(
    job: Job,
    answer: Kind,
    options: JobOptions = {},
  ): Promise<Extract<Result, { readonly kind: Kind }>> {
    const result = await this.enqueue(job, options);
    if (isResult(result, answer)) return result;
    if (result.kind === 'refused') throw new RunError(result);
    throw new Error(`unexpected result of the job ${job.kind}: ${result.kind}`);
  }

  /** Stops every thread and rejects pending jobs. The next job starts threads again. */
  close(): void {
    const reason = new Error('the threads were closed');
    for (const pending of this.queue.splice(0)) pending.reject(reason);
    for (const each of [...this.started]) this.drop(each, reason);
  }

  private enqueue(job: Job, { receive = () => undefined, signal }: JobOptions): Promise<Result> {
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

  /** Gives the jobs that wait to idle threads, and starts the threads that the others need. */
  private assign(): void {
    const waiting: Record<CrewName, number> = { compiler: 0, runner: 0, checker: 0, statistics: 0 };
    this.queue = this.queue.filter((pending) => {
      const each = this.idleFor(pending.job);
      if (each === undefined) {
        waiting[DOERS[pending.job.kind]] += 1;
        return true;
      }
      each.doing = pending;
      each.thread.hold(true);
      each.thread.post(pending.job);
      return false;
    });
    for (const crew of CREWS) {
      while (waiting[crew] > this.coming[crew] && this.countOf(crew) < this.most[crew]) void this.start(crew);
    }
  }

  private idleFor({ kind }: Job): Started | undefined {
    const doer = DOERS[kind];
    const idle = [...this.started].filter(({ doing }) => doing === undefined);
    return idle.find(({ crew }) => crew === doer) ?? idle.find(({ crew }) => crew === HELPERS[doer]);
  }

  /** Number of threads of a crew, without those that do jobs of other crews, with those of others that do its jobs. */
  private countOf(crew: CrewName): number {
    const present = [...this.started].filter(({ crew: own, doing }) => crew === (doing ? DOERS[doing.job.kind] : own));
    return present.length + this.coming[crew];
  }

  private async start(crew: CrewName): Promise<void> {
    this.coming[crew] += 1;
    let failure: unknown;
    try {
      const setup = await this.setup(KINDS[crew]);
      const each: Started = {
        thread: this.platform.startThread(KINDS[crew], {
          receive: (said) => this.receive(each, said),
          fail: (error) => {
            this.drop(each, error);
            this.assign();
          },
        }),
        crew,
        doing: undefined,
      };
      each.thread.hold(false);
      each.thread.post(setup);
      this.started.add(each);
    } catch (error) {
      failure = error;
    }
    this.coming[crew] -= 1;
    if (failure !== undefined) {
      const isOfCrew = ({ job }: Pending) => DOERS[job.kind] === crew;
      const failed = this.queue.filter(isOfCrew);
      this.queue = this.queue.filter((pending) => !isOfCrew(pending));
      for (const pending of failed) pending.reject(failure);
    }
    this.assign();
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

  private async setup(kind: ThreadKind): Promise<Setup> {
    if (kind === 'statistics') return { kind: 'set up statistics' };
    const { bytes, linear } = await this.loadKernels();
    return kind === 'compiler'
      ? { kind: 'set up compiler', kernels: bytes, linear }
      : { kind: 'set up runner', linear };
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
