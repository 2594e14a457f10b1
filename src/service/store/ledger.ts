/** Index of the store in memory: sizes, times of last use, and what is in use. */

/** A model without its fits, or a fit. `name` is its resource name. */
export interface Entry {
  readonly name: string;
  readonly modelId: string;
  /** Absent for a model. */
  readonly fit?: {
    readonly id: string;
    /** Name of the fit's folder. */
    readonly folder: string;
    /** The last part of that name. Increases with the time at which the fit was started. */
    readonly mark: string;
  };
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly used: number;
  /** The latest time of use that is stored on disk. */
  readonly noted: number;
}

/** The entry of a fit. */
export type FitEntry = Entry & Required<Pick<Entry, 'fit'>>;

export function isFit(entry: Entry): entry is FitEntry {
  return entry.fit !== undefined;
}

export function modelName(modelId: string): string {
  return `models/${modelId}`;
}

export function fitNameIn(modelId: string, fitId: string): string {
  return `models/${modelId}/fits/${fitId}`;
}

export class Ledger {
  private readonly entries = new Map<string, Entry>();
  /** Fits by model and name. Models without fits have no entry. */
  private readonly fits = new Map<string, Map<string, FitEntry>>();
  private readonly holds = new Map<string, number>();
  private total = 0;
  private latest = 0;

  /**
   * A new time of use, which is later than all earlier ones even if the system's clock was set back, so that the order
   * of uses is correct.
   */
  now(): number {
    return Math.max(Date.now(), Math.floor(this.latest) + 1);
  }

  add(entry: Entry): void {
    this.latest = Math.max(this.latest, entry.used);
    this.total += entry.bytes - (this.entries.get(entry.name)?.bytes ?? 0);
    this.entries.set(entry.name, entry);
    if (!isFit(entry)) return;
    const { modelId, name } = entry;
    const fits = this.fits.get(modelId);
    if (fits === undefined) this.fits.set(modelId, new Map([[name, entry]]));
    else fits.set(name, entry);
  }

  get(name: string): Entry | undefined {
    return this.entries.get(name);
  }

  /** The model of a fit, or a model itself. */
  modelOf({ modelId }: Entry): Entry | undefined {
    return this.get(modelName(modelId));
  }

  remove(name: string): void {
    const entry = this.entries.get(name);
    if (entry === undefined) return;
    this.total -= entry.bytes;
    this.entries.delete(name);
    const fits = this.fits.get(entry.modelId);
    if (fits?.delete(name) && fits.size === 0) this.fits.delete(entry.modelId);
  }

  /** Fits of a model. */
  fitsOf(modelId: string): FitEntry[] {
    return [...(this.fits.get(modelId)?.values() ?? [])];
  }

  /** Least recently used first. */
  all(): Entry[] {
    return [...this.entries.values()].sort((a, b) => a.used - b.used);
  }

  bytes(): number {
    return this.total;
  }

  /**
   * Protects a model, or a fit and its model, from eviction until the returned function is called. A part of either can
   * also be held; its name follows theirs after a slash.
   */
  hold(name: string): () => void {
    this.count(name, 1);
    let held = true;
    return () => {
      if (held) this.count(name, -1);
      held = false;
    };
  }

  /** Whether a model or fit, or a part of it, is in use. A fit is part of its model. */
  isHeld(name: string): boolean {
    return [...this.holds.keys()].some((key) => key === name || key.startsWith(`${name}/`));
  }

  private count(name: string, change: number): void {
    const count = (this.holds.get(name) ?? 0) + change;
    if (count > 0) this.holds.set(name, count);
    else this.holds.delete(name);
  }
}
