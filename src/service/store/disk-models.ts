import type { ProgramSource } from '../../chain/compiler.js';
import type { DiskFits, Upkeep } from './disk-fits.js';
import { isIdentifier } from './identifiers.js';
import { type Entry, type Ledger, modelName } from './ledger.js';
import type { ModelFolders } from './model-folders.js';
import type { CompiledFiles, StoredModel, StoredModels } from './store.js';

/** Models on disk, indexed by the ledger. */
export class DiskModels implements StoredModels {
  private readonly folders: ModelFolders;
  private readonly fits: DiskFits;
  private readonly ledger: Ledger;
  private readonly upkeep: Upkeep;

  constructor(folders: ModelFolders, fits: DiskFits, ledger: Ledger, upkeep: Upkeep) {
    this.folders = folders;
    this.fits = fits;
    this.ledger = ledger;
    this.upkeep = upkeep;
  }

  async has(id: string): Promise<boolean> {
    return this.ledger.get(modelName(id)) !== undefined;
  }

  async ids(): Promise<readonly string[]> {
    return this.folders.ids();
  }

  readResource(id: string): Promise<string | undefined> {
    return this.folders.readResource(id);
  }

  readSource(id: string): Promise<ProgramSource | undefined> {
    return this.folders.readSource(id);
  }

  readCompiled(id: string, engine: string): Promise<CompiledFiles | undefined> {
    return this.folders.readCompiled(id, engine);
  }

  async save(id: string, engine: string, model: StoredModel): Promise<string> {
    this.upkeep.requireFolder();
    await this.folders.save(id, engine, model);
    this.upkeep.touch(modelName(id));
    await this.upkeep.evict();
    return model.resource;
  }

  saveCompiled(id: string, engine: string, files: CompiledFiles): Promise<void> {
    return this.folders.saveCompiled(id, engine, files);
  }

  async remove(id: string): Promise<boolean> {
    if (!isIdentifier(id)) return false;
    return this.folders.inTurn(id, () => this.removeNow(id));
  }

  /** Removes a model without fits, unless it has been used since it was chosen for eviction. */
  async evict(chosen: Entry): Promise<void> {
    const { modelId, name } = chosen;
    await this.folders.inTurn(modelId, async () => {
      const isUsed = this.ledger.isHeld(name) || this.fits.entriesOf(modelId).length > 0;
      if (!isUsed && this.ledger.get(name) === chosen) await this.removeNow(modelId);
    });
  }

  private async removeNow(id: string): Promise<boolean> {
    const fits = this.fits.entriesOf(id);
    this.ledger.remove(modelName(id));
    this.fits.forget(fits);
    const removed = await this.folders.remove(id);
    await this.fits.removeAll(fits);
    return removed;
  }
}
