import { Uses } from '../dataflow/uses.js';
import type { Block, Statement, StatementOf, Variable } from '../ir/nodes.js';
import { expressionsOf } from '../ir/walk.js';
import { callFunction, callKernel } from './calls.js';
import { ExpressionWriter } from './expressions.js';
import type { Frame } from './frame.js';
import { LoopWriter } from './loops.js';
import { releasing, type SharedMemory, sharedMemory, writeAllocate, writeView } from './memory.js';
import { I32, OP } from './opcodes.js';
import { report } from './reports.js';
import { popLocal, popRef, pushRef, pushValue } from './tape.js';
import { addToTarget } from './target.js';

/** Writes the whole body of a function as structured wasm code; `results` are read after it. */
export function writeBody(frame: Frame, block: Block, results: readonly Variable[] = []): void {
  frame.noteLiveness(
    block,
    results.filter((result) => result.kind === 'local'),
  );
  let uses: Uses | undefined;
  const usesOfBody = (): Uses => {
    uses ??= new Uses(block, results);
    return uses;
  };
  new StatementWriter(frame, usesOfBody).block(block);
}

class StatementWriter {
  readonly #frame: Frame;
  readonly #loops: LoopWriter;

  constructor(frame: Frame, uses: () => Uses) {
    this.#frame = frame;
    this.#loops = new LoopWriter(frame, uses, (block) => this.block(block));
  }

  block(block: Block): void {
    const shared = sharedMemory(this.#frame, block);
    for (const statement of block) {
      const writer = new ExpressionWriter(this.#frame, expressionsOf(statement));
      this.#write(statement, writer, shared);
      writer.done();
    }
  }

  #write(statement: Statement, writer: ExpressionWriter, shared: SharedMemory | null): void {
    const frame = this.#frame;
    const { code } = frame;
    switch (statement.kind) {
      case 'assign':
        writer.write(statement.value);
        frame.write(frame.local(statement.local));
        return;
      case 'store':
        this.#store(statement, writer);
        return;
      case 'allocate':
        writeAllocate(frame, statement, writer, shared);
        return;
      case 'view':
        writeView(frame, statement, writer);
        return;
      case 'target':
        addToTarget(frame, statement.term, () => writer.write(statement.value));
        return;
      case 'for':
        this.#loops.for(statement, writer);
        return;
      case 'for_reverse':
        this.#loops.forReverse(statement, writer);
        return;
      case 'while':
        this.#loops.while(statement);
        return;
      case 'if':
        this.#if(statement, writer);
        return;
      case 'labeled':
        frame.labels.set(statement.label, code.block());
        this.block(statement.body);
        code.end();
        return;
      case 'exit': {
        const target = frame.labels.get(statement.label);
        if (target === undefined) throw new Error(`exit of label ${statement.label} is outside its block`);
        code.br(target);
        return;
      }
      case 'kernel':
        callKernel(frame, statement, writer);
        return;
      case 'call':
        callFunction(frame, statement, writer);
        return;
      case 'check':
        writer.write(statement.condition);
        code.op(OP.i32Eqz);
        code.if();
        report(frame, statement, writer);
        code.op(OP.unreachable);
        code.end();
        return;
      case 'print':
        report(frame, statement, writer);
        return;
      case 'reject':
        report(frame, statement, writer);
        code.op(OP.unreachable);
        return;
      case 'add_adjoint':
        this.#addAdjoint(statement, writer);
        return;
      case 'set_adjoint': {
        const offset = writer.adjointAddress(statement.ref, statement.index);
        writer.write(statement.value);
        code.memory(OP.f64Store, 3, offset);
        return;
      }
      case 'push':
        pushValue(frame, statement.value, writer);
        return;
      case 'pop':
        popLocal(frame, statement.local);
        return;
      case 'push_ref':
        pushRef(frame, statement.ref);
        return;
      case 'pop_ref':
        popRef(frame, statement.ref);
        return;
      case 'arena':
        releasing(frame, () => this.block(statement.body));
        return;
    }
  }

  #store({ ref, index, value }: StatementOf<'store'>, writer: ExpressionWriter): void {
    const offset = writer.address(ref, index);
    writer.write(value);
    if (ref.element === 'int') this.#frame.code.memory(OP.i32Store, 2, offset);
    else this.#frame.code.memory(OP.f64Store, 3, offset);
  }

  #addAdjoint({ ref, index, value }: StatementOf<'add_adjoint'>, writer: ExpressionWriter): void {
    const { code } = this.#frame;
    const address = code.temporary(I32);
    const offset = writer.adjointAddress(ref, index);
    code.tee(address);
    code.get(address);
    code.memory(OP.f64Load, 3, offset);
    writer.write(value);
    code.op(OP.f64Add);
    code.memory(OP.f64Store, 3, offset);
    code.release(I32, address);
  }

  #if(statement: StatementOf<'if'>, writer: ExpressionWriter): void {
    const { code } = this.#frame;
    writer.write(statement.condition);
    writer.done();
    code.if();
    this.block(statement.then);
    if (statement.otherwise.length > 0) {
      code.else();
      this.block(statement.otherwise);
    }
    code.end();
  }
}
