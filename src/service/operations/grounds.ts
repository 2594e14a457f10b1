import { type Deferred, deferred } from '../queue/deferred.js';
import { planOf } from '../store/operation-plan.js';
import { attemptOf, type OperationRecord } from '../store/operation-record.js';
import type { Store } from '../store/store.js';
import type { MemoryBudget } from '../threads/memory-budget.js';
import type { ChainJob } from '../threads/protocol.js';
import type { FitInputs } from './fit-inputs.js';
import type { Models, RunModels } from './models.js';
import { SharedData } from './shared-data.js';

/**
 * Local resources of an operation's chains: the model, the data and other inputs, and the folder to which they write.
 */
export interface Ground extends Pick<ChainJob, 'model' | 'inputs' | 'folder'> {
  readonly calibrated?: RunModels['calibrated'];
  readonly data: SharedData;
  /** Ends this use. Resolves when parts without users have been removed. */
  readonly release: () => Promise<void>;
}

interface SharedGround {
  readonly opening: Promise<Ground>;
  /** Resolves when the last user has released it. */
  readonly vacated: Deferred<void>;
  users: number;
  /** Chains or blocks that have run with these resources. */
  readonly chains: Set<string>;
}

/** A use of a ground: making a fit in a folder, or running a chain. */
export type GroundUse = { readonly folder: string } | { readonly index: number; readonly block?: number };

/** Prepares grounds. Concurrent uses by an operation share a ground. */
export class Grounds {
  private readonly store: Store;
  private readonly models: Models;
  private readonly inputs: FitInputs;
  private readonly budget: MemoryBudget;
  private readonly shared = new Map<string, SharedGround>();

  /** `budget`: the memory that models and bound data share. */
  constructor(store: Store, models: Models, inputs: FitInputs, budget: MemoryBudget) {
    this.store = store;
    this.models = models;
    this.inputs = inputs;
    this.budget = budget;
  }

  /**
   * Creates the folder, with an empty journal for each chain, and protects the inputs until the last use ends. Throws a
   * `ServiceError` if the model or an input does not exist. The first use determines the folder: if it names none, a
   * new folder is chosen and removed after the last use. A chain that runs again gets a new ground, because its first
   * run may still be writing to the old one.
   */
  async use(record: OperationRecord, use: GroundUse): Promise<Ground> {
    const key = this.keyOf(record, use);
    const shared = this.shared.get(key) ?? {
      opening: this.prepare(record, 'folder' in use ? use.folder : undefined),
      vacated: deferred<void>(),
      users: 0,
      chains: new Set(),
    };
    this.shared.set(key, shared);
    shared.users++;
    if ('index' in use) shared.chains.add(partOf(use));
    const leave = async () => {
      shared.users--;
      if (shared.users > 0) return;
      this.shared.delete(key);
      await shared.opening.then(({ release }) => release()).catch(() => undefined);
      shared.vacated.resolve();
    };
    try {
      return { ...(await shared.opening), release: leave };
    } catch (error) {
      await leave();
      throw error;
    }
  }

  /** Resolves when this process no longer uses the ground of an operation. Workers with cancelled chains may still be writing. */
  async vacated(record: OperationRecord): Promise<void> {
    const attempt = attemptOf(record);
    const those = [...this.shared].filter(([key]) => key.startsWith(`${attempt} `));
    await Promise.all(those.map(([, { vacated }]) => vacated.promise));
  }

  /** The key of the ground. */
  private keyOf(record: OperationRecord, use: GroundUse): string {
    // In a store of one process, chains write to the folder in which their fit is made, and a block continues the
    // journal of the previous one. Otherwise the process that makes the fit may remove its folder while chains run.
    const block = !this.store.isShared ? 0 : 'index' in use ? (use.block ?? 0) : 'fit';
    for (let turn = 0; ; turn++) {
      const key = `${attemptOf(record)} ${block} ${turn}`;
      const hasRun = 'index' in use && this.shared.get(key)?.chains.has(partOf(use)) === true;
      if (!hasRun) return key;
    }
  }

  private async prepare(record: OperationRecord, folder: string | undefined): Promise<Ground> {
    if (folder !== undefined) return this.open(record, folder);
    const own = this.store.fits.choose(record.modelId, record.id);
    const discard = () => this.store.fits.discard(own).catch(() => undefined);
    try {
      const { release, ...ground } = await this.open(record, own);
      return { ...ground, release: () => release().then(discard) };
    } catch (error) {
      await discard();
      throw error;
    }
  }

  private async open(record: OperationRecord, folder: string): Promise<Ground> {
    const { sources, release } = await this.inputs.open(record.inputs ?? {});
    try {
      await this.store.fits.create(
        folder,
        record.chains.map(({ chain }) => chain),
      );
      const models = await this.models.loadFor(record.modelId, record, planOf(record).module);
      const data = new SharedData(record, models, this.budget);
      const releaseAll = async () => {
        data.release();
        release();
      };
      return { ...models, data, inputs: sources, folder, release: releaseAll };
    } catch (error) {
      release();
      throw error;
    }
  }
}

function partOf({ block = 0, index }: Extract<GroundUse, { readonly index: number }>): string {
  return `${index} ${block}`;
}
