/** Runs the chains of an executable: one after the other in its own thread, or in several threads. */

import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { refusalOf } from '../chain/refusal.js';
import { executeWhole } from '../fits/execute.js';
import { coresPerChain } from '../fits/plan.js';
import type { SpentTime } from '../fits/thread-need.js';
import { parseStanData } from '../formats/stan-json.js';
import { findAlgorithm } from '../inference/algorithms/registry.js';
import { startThread } from '../node/entries.js';
import { timeSoFar } from '../node/time-so-far.js';
import {
  type ChainOrder,
  type ChainTask,
  MAXIMUM_MEMORY,
  openHost,
  planOf,
  programOf,
  type TaskEnd,
  TaskRunner,
} from './chain-task.js';
import type { ThreadAnswer } from './chain-thread.js';
import type { Executable } from './executable.js';
import { Failure } from './failure.js';
import type { Console } from './parser.js';

/** Runs every chain. `threads` is the maximum number of threads, or -1 for one per chain. Throws `Failure`. */
export async function runChains(
  path: string,
  executable: Executable,
  tasks: readonly ChainTask[],
  threads: number,
  console: Console,
): Promise<readonly TaskEnd[]> {
  const most = threads < 0 ? tasks.length : Math.min(threads, tasks.length);
  const prepared = bindOnce(executable, inSlices(tasks, threads));
  const orders = prepared.map((task) => ({ task, progress: sharedIterations() }));
  const over = new Set<ChainOrder>();
  const others = new ChainThreads(path);
  const runner = most === 1 ? new TaskRunner(executable, console) : others;
  try {
    return await executeWhole<ChainOrder, TaskEnd>(orders, {
      run: async (order) => {
        const end = await runner.run(order);
        over.add(order);
        return end;
      },
      most,
      // The running chains complete their files.
      fail: () => undefined,
      reports: () =>
        orders.map((order) => {
          const [iteration, iterations] = order.progress;
          return { progress: { iteration, iterations }, isOver: over.has(order) };
        }),
      timeSoFar,
      begun: () => others.begun,
    });
  } finally {
    others.close();
  }
}

/** Shared memory for two numbers of iterations. */
function sharedIterations(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}

/** The threads of an executable. Each runs one chain at a time. */
class ChainThreads {
  /** The time at which the first thread had loaded its code. */
  begun: SpentTime | undefined;
  private readonly path: string;
  private readonly threads: Worker[] = [];
  private readonly idle: Worker[] = [];

  constructor(path: string) {
    this.path = path;
  }

  async run(order: ChainOrder): Promise<TaskEnd> {
    const thread = this.idle.pop() ?? (await this.start());
    thread.postMessage(order);
    const [answer]: ThreadAnswer[] = await once(thread, 'message');
    this.idle.push(thread);
    if ('failure' in answer) throw new Failure(answer.failure);
    return answer;
  }

  close(): void {
    for (const thread of this.threads) thread.postMessage('end');
  }

  private async start(): Promise<Worker> {
    const thread = startThread('model-main', new URL('./model-main.js', import.meta.url), { workerData: this.path });
    this.threads.push(thread);
    await once(thread, 'message');
    this.begun ??= timeSoFar();
    return thread;
  }
}

/** The tasks. If there are more threads than tasks, each task has its share of the additional threads. */
function inSlices(tasks: readonly ChainTask[], threads: number): readonly ChainTask[] {
  const each = coresPerChain(threads, tasks.length);
  if (each === 1) return tasks;
  return tasks.map((task) => {
    const { arguments: rows = [] } = findAlgorithm(task.functionName) ?? {};
    const takesThreads = rows.some(({ name }) => name === 'threads_per_chain');
    return takesThreads ? { ...task, settings: { ...task.settings, threads_per_chain: each } } : task;
  });
}

/**
 * The tasks of several chains, with data that are bound here once. If binding fails, each chain binds the data itself
 * and reports the failure.
 */
function bindOnce(executable: Executable, tasks: readonly ChainTask[]): readonly ChainTask[] {
  const [{ data, seed }] = tasks;
  const plans = tasks.map((task) => planOf(task, tasks.length));
  // Other modules are compiled in the threads of their chains.
  if (typeof data !== 'string' || !plans.every((plan) => plan.sharesData && plan.module === undefined)) return tasks;
  const options = { seed, print: () => undefined, maximumMemory: MAXIMUM_MEMORY };
  const host = openHost();
  try {
    const bound = host.instantiate(programOf(executable), parseStanData(data), options).bound?.();
    return bound === undefined ? tasks : tasks.map((task) => ({ ...task, data: bound }));
  } catch (error) {
    if (refusalOf(host, error) === undefined) throw error;
    return tasks;
  }
}
