/** What the store holds, in memory: sizes, when each thing was last used, and what is in use now. */

/** A model without its fits, or a fit, by its resource name. */
export interface Entry {
  readonly name: string;
  readonly modelId: string;
  /** Absent for a model. */
  readonly fitId?: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly used: number;
}

export function modelName(modelId: string): string {
  return `models/${modelId}`;
}

export function fitNameIn(modelId: string, fitId: string): string {
  return `models/${modelId}/fits/${fitId}`;
}

export class Ledger {
  private readonly entries = new Map<string, Entry>();
  private readonly holds = new Map<string, number>();

  add(entry: Entry): void {
    this.entries.set(entry.name, entry);
  }

  get(name: string): Entry | undefined {
    return this.entries.get(name);
  }

  /** Forgets a thing and, with a model, its fits. */
  remove(name: string): void {
    for (const key of this.entries.keys()) if (key === name || key.startsWith(`${name}/`)) this.entries.delete(key);
  }

  /** From the least recently used on. */
  all(): Entry[] {
    return [...this.entries.values()].sort((a, b) => a.used - b.used);
  }

  bytes(): number {
    return this.all().reduce((sum, entry) => sum + entry.bytes, 0);
  }

  /** Keeps a thing, and the model of a fit, from being evicted until what this returns is called. */
  hold(name: string): () => void {
    this.count(name, 1);
    let held = true;
    return () => {
      if (held) this.count(name, -1);
      held = false;
    };
  }

  /** Whether a thing is in use, or a fit of a model is. */
  isHeld(name: string): boolean {
    return [...this.holds.keys()].some((key) => key === name || key.startsWith(`${name}/`));
  }

  private count(name: string, change: number): void {
    const count = (this.holds.get(name) ?? 0) + change;
    if (count > 0) this.holds.set(name, count);
    else this.holds.delete(name);
  }
}
