/** Names of files with their sizes in the order in which they came, to tell which are too many. */
export class Recent {
  private readonly mostFiles: number;
  private readonly mostBytes: number;
  private readonly sizes = new Map<string, number>();
  private bytes = 0;

  constructor(mostFiles: number, mostBytes: number) {
    this.mostFiles = mostFiles;
    this.mostBytes = mostBytes;
  }

  /** One that is there already counts as new. */
  add(name: string, bytes: number): void {
    this.remove(name);
    this.sizes.set(name, bytes);
    this.bytes += bytes;
  }

  remove(name: string): void {
    this.bytes -= this.sizes.get(name) ?? 0;
    this.sizes.delete(name);
  }

  names(): string[] {
    return [...this.sizes.keys()];
  }

  /** Takes out the oldest ones until the rest is not too many; the latest one stays whatever its size. */
  takeSurplus(): string[] {
    const taken: string[] = [];
    for (const name of this.sizes.keys()) {
      const { size } = this.sizes;
      if (size <= 1 || (size <= this.mostFiles && this.bytes <= this.mostBytes)) break;
      this.remove(name);
      taken.push(name);
    }
    return taken;
  }
}
