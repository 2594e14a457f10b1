import type { Block, ScalarType, Statement, StatementOf } from './nodes.js';

type Fail = (problem: string, statement: Statement | null) => never;

/** The values that a sequence of statements leaves on the tape, from bottom to top. */
type Tape = readonly Item[];

type Item =
  | { readonly kind: ScalarType | 'ref' }
  /** The values that each iteration of a loop leaves; the number of iterations is unknown. */
  | { readonly kind: 'iterations'; readonly iteration: Tape }
  | { readonly kind: 'branches'; readonly then: Tape; readonly otherwise: Tape };

/**
 * Verifies that the pushes and pops of a block match: every `pop` finds a value of its type, a reversed loop pops iteration by iteration
 * what its loop pushed, both branches of a reversed condition pop what the branches of the condition pushed, and no value remains. Called
 * functions are not followed. `fail` receives the first statement that violates this.
 */
export function verifyTape(block: Block, fail: Fail): void {
  const rest = new TapeChecker(fail, new Map()).run(block, []);
  if (rest.length > 0) fail(`${describe(rest)} stays on the tape`, null);
}

class Underflow extends Error {}

class TapeChecker {
  readonly #fail: Fail;
  readonly #taking: Map<Block, boolean>;

  constructor(fail: Fail, taking: Map<Block, boolean>) {
    this.#fail = fail;
    this.#taking = taking;
  }

  run(block: Block, start: Tape): Tape {
    return block.reduce((tape, statement) => this.#step(statement, tape), start);
  }

  #step(statement: Statement, tape: Tape): Tape {
    switch (statement.kind) {
      case 'push':
        return [...tape, { kind: statement.value.type }];
      case 'push_ref':
        return [...tape, { kind: 'ref' }];
      case 'pop':
        return this.#take(statement, tape, statement.local.type);
      case 'pop_ref':
        return this.#take(statement, tape, 'ref');
      case 'arena':
      case 'labeled':
        return this.run(statement.body, tape);
      case 'for':
      case 'while':
      case 'for_reverse':
        return this.#loop(statement, statement.body, tape);
      case 'if':
        return this.#if(statement, tape);
      default:
        return tape;
    }
  }

  /** Whether the block pops more than it has pushed. */
  #takes(block: Block): boolean {
    const known = this.#taking.get(block);
    if (known !== undefined) return known;
    let taking = false;
    try {
      new TapeChecker(() => {
        throw new Underflow();
      }, this.#taking).run(block, []);
    } catch (error) {
      if (!(error instanceof Underflow)) throw error;
      taking = true;
    }
    this.#taking.set(block, taking);
    return taking;
  }

  #take(statement: Statement, tape: Tape, kind: Item['kind']): Tape {
    if (tape.at(-1)?.kind !== kind) this.#fail(`the tape ends with ${describe(tape)}, not ${kind}`, statement);
    return tape.slice(0, -1);
  }

  #loop(statement: Statement, body: Block, tape: Tape): Tape {
    const last = tape.at(-1);
    if (this.#takes(body) && last?.kind === 'iterations') {
      const rest = this.run(body, last.iteration);
      if (rest.length > 0) this.#fail(`an iteration leaves ${describe(rest)} on the tape`, statement);
      return tape.slice(0, -1);
    }
    const iteration = this.run(body, []);
    return iteration.length === 0 ? tape : [...tape, { kind: 'iterations', iteration }];
  }

  #if(statement: StatementOf<'if'>, tape: Tape): Tape {
    const last = tape.at(-1);
    if ((this.#takes(statement.then) || this.#takes(statement.otherwise)) && last?.kind === 'branches') {
      const rest = [...this.run(statement.then, last.then), ...this.run(statement.otherwise, last.otherwise)];
      if (rest.length > 0) this.#fail(`a branch leaves ${describe(rest)} on the tape`, statement);
      return tape.slice(0, -1);
    }
    const then = this.run(statement.then, []);
    const otherwise = this.run(statement.otherwise, []);
    return then.length + otherwise.length === 0 ? tape : [...tape, { kind: 'branches', then, otherwise }];
  }
}

function describe(tape: Tape): string {
  return tape.at(-1)?.kind ?? 'nothing';
}
