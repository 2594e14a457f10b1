import type { AutodiffLevel, FunctionParameter, Type } from '../../../src/language/types.js';
import type { Random } from '../random.js';

export interface Variable {
  readonly name: string;
  readonly type: Type;
  readonly level: AutodiffLevel;
  readonly isWritable: boolean;
}

export interface UserFunction {
  readonly name: string;
  readonly parameters: readonly FunctionParameter[];
  readonly result: Type;
}

/** What the code that is being written may do. */
export interface Abilities {
  readonly target: boolean;
  readonly jacobian: boolean;
  readonly randomNumbers: boolean;
  readonly parameters: boolean;
  readonly leaveLoop: boolean;
  /** Result type of the enclosing function; null outside of functions. */
  readonly returns: Type | null;
}

const NO_ABILITIES: Abilities = {
  target: false,
  jacobian: false,
  randomNumbers: false,
  parameters: false,
  leaveLoop: false,
  returns: null,
};

/** What is known at the position that is being written. The scopes of one program share random choices and the count of names. */
export class Scope {
  readonly random: Random;
  /** The probability, at each choice, that something invalid is written on purpose. */
  readonly faults: number;
  readonly able: Abilities;
  readonly variables: Variable[];
  readonly functions: UserFunction[];
  readonly #names: { next: number };

  constructor(
    random: Random,
    faults: number,
    able = NO_ABILITIES,
    variables: readonly Variable[] = [],
    functions: UserFunction[] = [],
    names = { next: 1 },
  ) {
    this.random = random;
    this.faults = faults;
    this.able = able;
    this.variables = [...variables];
    this.functions = functions;
    this.#names = names;
  }

  /** A scope inside this one, in which the current declarations are visible. */
  inside(changes: Partial<Abilities> = {}): Scope {
    const able = { ...this.able, ...changes };
    return new Scope(this.random, this.faults, able, this.variables, this.functions, this.#names);
  }

  /** A scope in which only functions are visible. */
  apart(able: Partial<Abilities> = {}): Scope {
    return new Scope(this.random, this.faults, { ...NO_ABILITIES, ...able }, [], this.functions, this.#names);
  }

  /** Makes all variables declared so far read-only. */
  close(): void {
    const closed = this.variables.map((variable) => ({ ...variable, isWritable: false }));
    this.variables.splice(0, this.variables.length, ...closed);
  }

  fresh(prefix: string): string {
    return `${prefix}${this.#names.next++}`;
  }

  isWrong(): boolean {
    return this.faults > 0 && this.random.chance(this.faults);
  }

  declare(name: string, type: Type, isWritable: boolean, level: AutodiffLevel): void {
    this.variables.push({ name, type, level, isWritable });
  }
}
