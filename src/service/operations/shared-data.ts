/** The data of an operation, bound once for its chains in this process. */
import type { BoundData } from '../../model/bind.js';
import { planOf } from '../store/operation-plan.js';
import type { OperationRecord } from '../store/operation-record.js';
import { collectAll } from '../threads/garbage.js';
import { type AccountSetup, MemoryAccount, type MemoryBudget } from '../threads/memory-budget.js';
import type { InputsJob, JobResult } from '../threads/protocol.js';
import { LARGE } from '../threads/thread-memory.js';

/**
 * The fraction of the memory limit that bound data may occupy, in addition to the models of the chains that use them.
 */
const MOST_OF_BUDGET = 1 / 16;

/** The members of a ground that binding requires. */
type Bindable = Pick<InputsJob, 'model'>;

export class SharedData {
  private readonly record: OperationRecord;
  private readonly budget: MemoryBudget;
  private readonly model: Bindable['model'];
  private binding: Promise<BoundData | undefined> | undefined;
  private account: AccountSetup | undefined;
  private bytes = 0;

  constructor(record: OperationRecord, { model }: Bindable, budget: MemoryBudget) {
    this.record = record;
    this.model = model;
    this.budget = budget;
  }

  /**
   * The bound data, which `perform` binds in a thread at the first call; JSON text if each chain binds the data itself.
   * This is the case if the data are small, if binding fails (each chain then reports the failure), or if the memory
   * budget has no room for a copy.
   */
  async get(perform: (job: InputsJob) => Promise<JobResult>): Promise<string | BoundData> {
    const { data = '{}' } = this.record;
    if (!planOf(this.record).sharesData) return data;
    this.binding ??= this.bind(data, perform);
    return (await this.binding) ?? data;
  }

  /** Returns the memory of bound data to the budget. Call it when no chain uses the data. */
  release(): void {
    if (this.account !== undefined) this.budget.closeAccount(this.account);
    this.account = undefined;
    this.binding = undefined;
    if (this.bytes > LARGE) collectAll();
    this.bytes = 0;
  }

  private async bind(data: string, perform: (job: InputsJob) => Promise<JobResult>): Promise<BoundData | undefined> {
    const { budget, model, record } = this;
    const result = await perform({
      kind: 'inputs',
      model,
      algorithm: record.function,
      data,
      inputs: {},
      checksData: true,
      bindingSeed: record.seed,
      mostBound: MOST_OF_BUDGET * budget.limit,
    }).catch(() => undefined);
    const bound = result?.kind === 'inputs' ? result.bound : undefined;
    if (bound === undefined) return undefined;
    // The thread has already returned its own claim for this memory.
    this.account = budget.openAccount();
    this.bytes = bound.memory.byteLength;
    return new MemoryAccount(this.account).take(this.bytes) ? bound : undefined;
  }
}
