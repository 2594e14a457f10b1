import type { Rng } from '../random/rng.js';

interface Taken {
  readonly kind: 'uniform' | 'normal';
  readonly value: number;
}

/** Returns the numbers of another stream and records them. */
export class RecordedRng implements Rng {
  readonly taken: Taken[] = [];
  private readonly source: Rng;

  constructor(source: Rng) {
    this.source = source;
  }

  uniform(): number {
    return this.keep('uniform', this.source.uniform());
  }

  normal(): number {
    return this.keep('normal', this.source.normal());
  }

  private keep(kind: Taken['kind'], value: number): number {
    this.taken.push({ kind, value });
    return value;
  }
}

/** Returns given numbers. Each must be requested by its type. */
export class ScriptedRng implements Rng {
  private readonly script: readonly Taken[];
  private next = 0;

  constructor(script: readonly Taken[]) {
    this.script = script;
  }

  uniform(): number {
    return this.take('uniform');
  }

  normal(): number {
    return this.take('normal');
  }

  /** The number of remaining numbers. */
  get left(): number {
    return this.script.length - this.next;
  }

  private take(kind: Taken['kind']): number {
    const taken = this.script[this.next];
    this.next += 1;
    if (taken?.kind !== kind) throw new Error(`a ${kind} number was requested, but ${taken?.kind ?? 'none'} is next`);
    return taken.value;
  }
}
