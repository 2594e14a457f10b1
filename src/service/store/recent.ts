interface Known {
  readonly bytes: number;
  /** Milliseconds since 1970, unique. */
  readonly time: number;
}

/** Names and sizes of files in order of arrival. Finds the oldest ones above a limit. */
export class Recent {
  private readonly mostFiles: number;
  private readonly mostBytes: number;
  private readonly known = new Map<string, Known>();
  private latest = 0;
  private bytes = 0;

  constructor(mostFiles: number, mostBytes: number) {
    this.mostFiles = mostFiles;
    this.mostBytes = mostBytes;
  }

  /** Adds a name. A known name becomes the latest one. */
  add(name: string, bytes: number, time = Date.now()): void {
    this.remove(name);
    this.latest = Math.max(Math.floor(time), this.latest + 1);
    this.known.set(name, { bytes, time: this.latest });
    this.bytes += bytes;
  }

  remove(name: string): void {
    this.bytes -= this.known.get(name)?.bytes ?? 0;
    this.known.delete(name);
  }

  has(name: string): boolean {
    return this.known.has(name);
  }

  names(): string[] {
    return [...this.known.keys()];
  }

  /** Adds names with their times of arrival, which determine their order. */
  entries(): { readonly id: string; readonly place: number }[] {
    return Array.from(this.known, ([id, { time }]) => ({ id, place: time }));
  }

  /** Removes and returns the oldest names until the rest is within the limits. The latest one remains, whatever its size. */
  takeSurplus(): string[] {
    const taken: string[] = [];
    for (const name of this.known.keys()) {
      const { size } = this.known;
      if (size <= 1 || (size <= this.mostFiles && this.bytes <= this.mostBytes)) break;
      this.remove(name);
      taken.push(name);
    }
    return taken;
  }
}
