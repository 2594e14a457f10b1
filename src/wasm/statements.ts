import type { Block, Expr, KernelArgument, Local, Ref, Statement, TargetTerm, Variable } from '../ir/nodes.js';
import { definedRefs, expressionsOf, visitExpression, visitStatements } from '../ir/walk.js';
import { type LoopStatement, Uses } from '../optimize/effects.js';
import { passedTypes } from './context.js';
import { ExpressionWriter } from './expressions.js';
import type { Frame } from './frame.js';
import { I32, OP } from './opcodes.js';
import { callSite, failureSite, printSite, rejectSite, siteValues } from './sites.js';
import { VectorWriter } from './vector.js';
import { type VectorLoop, vectorLoop } from './vectorize.js';

type Of<Kind extends Statement['kind']> = Extract<Statement, { kind: Kind }>;

/** Writes statements as structured wasm code. */
export class StatementWriter {
  readonly frame: Frame;
  #uses = new Uses([]);

  constructor(frame: Frame) {
    this.frame = frame;
  }

  /** Writes the whole body of a function; `results` are read after it. */
  body(block: Block, results: readonly Variable[] = []): void {
    this.frame.noteLiveness(
      block,
      results.filter((result) => result.kind === 'local'),
    );
    this.#uses = new Uses(block, results);
    this.block(block);
  }

  block(block: Block): void {
    for (const statement of block) this.statement(statement);
  }

  statement(statement: Statement): void {
    const writer = new ExpressionWriter(this.frame, expressionsOf(statement));
    this.#write(statement, writer);
    writer.done();
  }

  #write(statement: Statement, writer: ExpressionWriter): void {
    const { frame } = this;
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
        this.#allocate(statement, writer);
        return;
      case 'view':
        this.#view(statement, writer);
        return;
      case 'target':
        this.#target(statement.term, () => writer.write(statement.value));
        return;
      case 'for':
        this.#for(statement, writer, this.#vectorLoop(statement));
        return;
      case 'for_reverse':
        this.#forReverse(statement, writer);
        return;
      case 'while':
        this.#while(statement);
        return;
      case 'if':
        this.#if(statement, writer);
        return;
      case 'labelled':
        frame.labels.set(statement.label, code.block());
        this.block(statement.body);
        code.end();
        return;
      case 'exit': {
        const target = frame.labels.get(statement.label);
        if (target === undefined) throw new Error(`exit of label ${statement.label} stands outside its block`);
        code.br(target);
        return;
      }
      case 'kernel':
        this.#kernel(statement, writer);
        return;
      case 'call':
        this.#call(statement, writer);
        return;
      case 'check':
        writer.write(statement.condition);
        code.op(OP.i32Eqz);
        code.if();
        this.#report(failureSite(statement), siteValues(statement), writer);
        code.op(OP.unreachable);
        code.end();
        return;
      case 'print':
        this.#report(printSite(statement), siteValues(statement), writer);
        return;
      case 'reject':
        this.#report(rejectSite(statement), siteValues(statement), writer);
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
        this.#tapeRoom(8);
        code.get(frame.tape);
        writer.write(statement.value);
        if (statement.value.type === 'int') code.memory(OP.i32Store, 2, 0);
        else code.memory(OP.f64Store, 3, 0);
        this.#moveTape(8);
        return;
      case 'pop':
        this.#moveTape(-8);
        code.get(frame.tape);
        if (statement.local.type === 'int') code.memory(OP.i32Load, 2, 0);
        else code.memory(OP.f64Load, 3, 0);
        frame.write(frame.local(statement.local));
        return;
      case 'push_ref':
        this.#pushRef(statement.ref);
        return;
      case 'pop_ref':
        this.#popRef(statement.ref);
        return;
      case 'arena':
        this.#releasing(() => this.block(statement.body));
        return;
    }
  }

  #store({ ref, index, value }: Of<'store'>, writer: ExpressionWriter): void {
    const offset = writer.address(ref, index);
    writer.write(value);
    if (ref.element === 'int') this.frame.code.memory(OP.i32Store, 2, offset);
    else this.frame.code.memory(OP.f64Store, 3, offset);
  }

  #addAdjoint({ ref, index, value }: Of<'add_adjoint'>, writer: ExpressionWriter): void {
    const { code } = this.frame;
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

  /** Runs `add` with the accumulator of `target` on the stack below, if terms of this kind count. */
  #target(term: TargetTerm, value: () => void): void {
    const { frame } = this;
    const { code } = frame;
    const { keepConstants, keepJacobian } = frame.module.program;
    if (term !== 'always') {
      frame.read(frame.local(term === 'constant' ? keepConstants : keepJacobian));
      code.if();
    }
    this.readTarget();
    value();
    code.op(OP.f64Add);
    this.writeTarget();
    if (term !== 'always') code.end();
  }

  readTarget(): void {
    const { code, target, module } = this.frame;
    if (target === null) code.globalGet(module.registers.target);
    else code.get(target);
  }

  writeTarget(): void {
    const { code, target, module } = this.frame;
    if (target === null) code.globalSet(module.registers.target);
    else code.set(target);
  }

  #allocate({ ref, sizes, fill }: Of<'allocate'>, writer: ExpressionWriter): void {
    const { frame } = this;
    const { code, module } = frame;
    const place = frame.ref(ref);
    for (const [axis, size] of sizes.entries()) {
      writer.write(size);
      frame.write(place.sizes[axis]);
    }
    this.#count64(ref, sizes);
    code.i64(ref.element === 'int' ? 2 : 3);
    code.op(OP.i64Shl);
    code.call(module.helpers.take);
    frame.write(place.pointer);
    if (frame.hasShadow(ref)) {
      frame.updateShadow(ref);
      code.get(frame.shadow(ref));
      this.#bytes(ref, sizes);
      code.call(module.helpers.clear);
    }
    if (fill === 'none') return;
    frame.read(place.pointer);
    if (fill === 'zero') {
      this.#bytes(ref, sizes);
      code.call(module.helpers.clear);
      return;
    }
    this.#count64(ref, sizes);
    code.op(OP.i32WrapI64);
    if (ref.element === 'int') {
      code.i32(-(2 ** 31));
      code.call(module.helpers.fillInt);
    } else {
      code.f64(Number.NaN);
      code.call(module.helpers.fillReal);
    }
  }

  /** The number of elements as i64; sizes that are not constants stand in the ref's places. */
  #count64(ref: Ref, sizes: readonly Expr[]): void {
    const { code } = this.frame;
    const place = this.frame.ref(ref);
    const constant = sizes.reduce((product, size) => (size.kind === 'const' ? product * size.value : product), 1);
    const isSmall = constant < 2 ** 31;
    let isFirst = true;
    if (isSmall && (constant !== 1 || sizes.every((size) => size.kind === 'const'))) {
      code.i64(constant);
      isFirst = false;
    }
    for (const [axis, size] of sizes.entries()) {
      if (isSmall && size.kind === 'const') continue;
      this.frame.read(place.sizes[axis]);
      code.op(OP.i64ExtendI32U);
      if (!isFirst) code.op(OP.i64Mul);
      isFirst = false;
    }
  }

  /** The number of bytes taken for the ref, a multiple of 16. */
  #bytes(ref: Ref, sizes: readonly Expr[]): void {
    const { code } = this.frame;
    const shift = ref.element === 'int' ? 2 : 3;
    if (sizes.every((size) => size.kind === 'const')) {
      const count = sizes.reduce((product, size) => (size.kind === 'const' ? product * size.value : product), 1);
      code.i32(((count << shift) + 15) & -16);
      return;
    }
    this.#count64(ref, sizes);
    code.op(OP.i32WrapI64);
    code.i32(shift);
    code.op(OP.i32Shl);
    code.i32(15);
    code.op(OP.i32Add);
    code.i32(-16);
    code.op(OP.i32And);
  }

  #view({ ref, offset, sizes }: Of<'view'>, writer: ExpressionWriter): void {
    const { frame } = this;
    const { code } = frame;
    if (ref.parent === null) throw new Error(`view ${ref.name} has no parent`);
    const place = frame.ref(ref);
    // Sizes and offset may read the view's own former header, so that all are computed before any is written.
    for (const size of sizes) writer.write(size);
    frame.read(frame.ref(ref.parent).pointer);
    if (offset.kind !== 'const' || offset.value !== 0) {
      writer.write(offset);
      code.i32(ref.element === 'int' ? 2 : 3);
      code.op(OP.i32Shl);
      code.op(OP.i32Add);
    }
    frame.write(place.pointer);
    for (let axis = sizes.length - 1; axis >= 0; axis--) frame.write(place.sizes[axis]);
    frame.updateShadow(ref);
  }

  /** Loop ends are evaluated once: a constant stays, anything else goes to a local. */
  #loopEnd(end: Expr, writer: ExpressionWriter): LoopEnd {
    if (end.kind === 'const') return { kind: 'const', value: end.value };
    const { code } = this.frame;
    const local = code.temporary(I32);
    writer.write(end);
    code.set(local);
    return { kind: 'local', local };
  }

  #readEnd(end: LoopEnd): void {
    if (end.kind === 'const') this.frame.code.i32(end.value);
    else this.frame.code.get(end.local);
  }

  #releaseEnd(end: LoopEnd): void {
    if (end.kind === 'local') this.frame.code.release(I32, end.local);
  }

  #for(statement: Of<'for'>, writer: ExpressionWriter, vector: VectorLoop | null): void {
    const { from, to } = statement;
    const { code } = this.frame;
    const index = this.#index(statement.index);
    writer.write(from);
    const end = this.#loopEnd(to, writer);
    writer.done();
    code.set(index);
    if (vector !== null) this.#vector(vector, index, end);
    code.get(index);
    this.#readEnd(end);
    code.op(OP.i32LtS);
    code.if();
    const loop = code.loop();
    this.#round(statement);
    code.get(index);
    code.i32(1);
    code.op(OP.i32Add);
    code.tee(index);
    this.#readEnd(end);
    code.op(OP.i32LtS);
    code.brIf(loop);
    code.end();
    code.end();
    this.#releaseEnd(end);
  }

  #vectorLoop(loop: Of<'for' | 'for_reverse'>): VectorLoop | null {
    const { module, liveBehind, purpose } = this.frame;
    const live = liveBehind.get(loop);
    return module.vectorizes && live !== undefined ? vectorLoop(loop, live, purpose.isCallee) : null;
  }

  /** Two rounds at a time as long as two are left. */
  #vector(loop: VectorLoop, index: number, end: LoopEnd): void {
    const { code } = this.frame;
    const last = (): void => {
      if (end.kind === 'const') code.i32(end.value - 1);
      else {
        code.get(end.local);
        code.i32(1);
        code.op(OP.i32Sub);
      }
    };
    code.get(index);
    last();
    code.op(OP.i32LtS);
    code.if();
    new VectorWriter(this.frame, loop, index).write(last);
    code.end();
  }

  #forReverse(statement: Of<'for_reverse'>, writer: ExpressionWriter): void {
    // Rounds that do not depend on one another run in either direction.
    const vector = this.#vectorLoop(statement);
    if (vector !== null) {
      this.#for({ ...statement, kind: 'for' }, writer, vector);
      return;
    }
    const { from, to } = statement;
    const { code } = this.frame;
    const index = this.#index(statement.index);
    const end = this.#loopEnd(from, writer);
    writer.write(to);
    writer.done();
    code.set(index);
    code.get(index);
    this.#readEnd(end);
    code.op(OP.i32GtS);
    code.if();
    const loop = code.loop();
    code.get(index);
    code.i32(1);
    code.op(OP.i32Sub);
    code.set(index);
    this.#round(statement);
    code.get(index);
    this.#readEnd(end);
    code.op(OP.i32GtS);
    code.brIf(loop);
    code.end();
    code.end();
    this.#releaseEnd(end);
  }

  #index(local: Local): number {
    const place = this.frame.local(local);
    if (place.global) throw new Error(`loop index ${local.name} is global`);
    return place.index;
  }

  #while(statement: Of<'while'>): void {
    const { condition } = statement;
    const { code } = this.frame;
    const block = code.block();
    const loop = code.loop();
    const test = new ExpressionWriter(this.frame, [condition]);
    test.write(condition);
    test.done();
    code.op(OP.i32Eqz);
    code.brIf(block);
    this.#round(statement);
    code.br(loop);
    code.end();
    code.end();
  }

  /** One round of a loop: outside gradients the memory that it takes is free again at its end, if nothing outside sees it. */
  #round(loop: LoopStatement): void {
    const { body } = loop;
    const takers = this.frame.purpose.differentiates ? [] : memoryTakers(body);
    const isConfined = (ref: Ref): boolean => ref.storage === 'local' && this.#uses.isLocalToBody(ref, loop);
    if (takers.length > 0 && takers.flatMap(definedRefs).every(isConfined)) this.#releasing(() => this.block(body));
    else this.block(body);
  }

  #releasing(write: () => void): void {
    const { code, module } = this.frame;
    const mark = code.temporary(I32);
    code.globalGet(module.registers.top);
    code.set(mark);
    write();
    code.get(mark);
    code.globalSet(module.registers.top);
    code.release(I32, mark);
  }

  #if(statement: Of<'if'>, writer: ExpressionWriter): void {
    const { code } = this.frame;
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

  #kernel({ name, args, result }: Of<'kernel'>, writer: ExpressionWriter): void {
    const { frame } = this;
    const { code, module } = frame;
    for (const argument of args) this.#kernelArgument(argument, writer);
    const linear = module.linear.get(name);
    const math = module.mathKernel(name);
    if (linear !== undefined) code.call(linear);
    else if (math !== undefined) code.call(module.mathFunction(math));
    else throw new Error(`there is no kernel ${name}`);
    const { results } = linear !== undefined ? (module.kernels.linear.get(name) ?? { results: [] }) : { results: [0] };
    if (result !== null) frame.write(frame.local(result));
    else if (results.length > 0) code.op(OP.drop);
  }

  #kernelArgument(argument: KernelArgument, writer: ExpressionWriter): void {
    const { frame } = this;
    const { code, module } = frame;
    if (argument.kind === 'random_state') {
      code.i32(module.randomState);
      return;
    }
    if (argument.kind !== 'pointer') {
      writer.write(argument);
      return;
    }
    const { ref, offset, adjoint } = argument;
    if (adjoint) code.get(frame.shadow(ref));
    else frame.read(frame.ref(ref).pointer);
    if (offset === null) return;
    writer.write(offset);
    code.i32(ref.element === 'int' ? 2 : 3);
    code.op(OP.i32Shl);
    code.op(OP.i32Add);
  }

  #call(statement: Of<'call'>, writer: ExpressionWriter): void {
    const { callee, args, results } = statement;
    const { frame } = this;
    const called = frame.module.functions.get(callee);
    if (called === undefined) throw new Error(`there is no function ${callee}`);
    for (const argument of args) {
      if (argument.kind !== 'ref') {
        writer.write(argument);
        continue;
      }
      const { pointer, sizes } = frame.ref(argument);
      frame.read(pointer);
      for (const size of sizes) frame.read(size);
    }
    const { code, module, tape } = frame;
    const sharesTape = frame.purpose.differentiates;
    if (sharesTape) {
      code.get(tape);
      code.globalSet(module.registers.tapeTop);
    }
    this.#noting(statement, () => code.call(called.index));
    if (sharesTape) {
      code.globalGet(module.registers.tapeTop);
      code.set(tape);
    }
    for (const variable of [...results].reverse()) {
      if (variable.kind === 'local') frame.write(frame.local(variable));
      else {
        const { pointer, sizes } = frame.ref(variable);
        for (const size of [...sizes].reverse()) frame.write(size);
        frame.write(pointer);
        frame.updateShadow(variable);
      }
    }
  }

  /** Notes that a call is open while it runs, so that the message of a failure inside tells the way to it. */
  #noting(statement: Of<'call'>, call: () => void): void {
    const { code, module } = this.frame;
    const { calls } = module;
    if (calls === null || statement.span === undefined || statement.span === null) {
      call();
      return;
    }
    const count = code.temporary(I32);
    code.i32(0);
    code.memory(OP.i32Load, 2, calls.count);
    code.tee(count);
    code.i32(calls.room - 1);
    code.op(OP.i32And);
    code.i32(2);
    code.op(OP.i32Shl);
    code.i32(module.sites.push(callSite(statement)) - 1);
    code.memory(OP.i32Store, 2, calls.sites);
    code.i32(0);
    code.get(count);
    code.i32(1);
    code.op(OP.i32Add);
    code.memory(OP.i32Store, 2, calls.count);
    call();
    code.i32(0);
    code.get(count);
    code.memory(OP.i32Store, 2, calls.count);
    code.release(I32, count);
  }

  /** Writes the site's values to their area and calls the host. */
  #report(site: ReturnType<typeof printSite>, values: readonly (Expr | Ref)[], writer: ExpressionWriter): void {
    const { frame } = this;
    const { code, module } = frame;
    let address = module.values;
    const slot = (write: () => void, type: 'int' | 'real'): void => {
      code.i32(0);
      write();
      if (type === 'int') code.op(OP.f64ConvertI32S);
      code.memory(OP.f64Store, 3, address);
      address += 8;
    };
    for (const value of values) {
      if (value.kind !== 'ref') slot(() => writer.write(value), value.type);
      else {
        const { pointer, sizes } = frame.ref(value);
        for (const place of [pointer, ...sizes]) slot(() => frame.read(place), 'int');
      }
    }
    code.i32(module.sites.push(site) - 1);
    code.call(module.imports.report);
  }

  #tapeRoom(bytes: number): void {
    const { code, module, tape } = this.frame;
    code.get(tape);
    code.i32(bytes);
    code.op(OP.i32Add);
    code.globalGet(module.registers.end);
    code.op(OP.i32GtU);
    code.if();
    code.get(tape);
    code.i32(bytes);
    code.op(OP.i32Add);
    code.op(OP.f64ConvertI32U);
    code.i32(1);
    code.call(module.imports.reserve);
    code.globalSet(module.registers.end);
    code.end();
  }

  #moveTape(bytes: number): void {
    const { code, tape } = this.frame;
    code.get(tape);
    code.i32(bytes);
    code.op(OP.i32Add);
    code.set(tape);
  }

  #pushRef(ref: Ref): void {
    const { frame } = this;
    const { code } = frame;
    const { pointer, sizes } = frame.ref(ref);
    const places = [pointer, ...sizes];
    const bytes = tapeBytes(ref);
    this.#tapeRoom(bytes);
    for (const [k, place] of places.entries()) {
      code.get(frame.tape);
      frame.read(place);
      code.memory(OP.i32Store, 2, 4 * k);
    }
    this.#moveTape(bytes);
  }

  #popRef(ref: Ref): void {
    const { frame } = this;
    const { code } = frame;
    const { pointer, sizes } = frame.ref(ref);
    this.#moveTape(-tapeBytes(ref));
    for (const [k, place] of [pointer, ...sizes].entries()) {
      code.get(frame.tape);
      code.memory(OP.i32Load, 2, 4 * k);
      frame.write(place);
    }
    frame.updateShadow(ref);
  }
}

type LoopEnd = { readonly kind: 'const'; readonly value: number } | { readonly kind: 'local'; readonly local: number };

function tapeBytes(ref: Ref): number {
  return (passedTypes(ref).length * 4 + 7) & -8;
}

function memoryTakers(block: Block): readonly Statement[] {
  const takers: Statement[] = [];
  visitStatements(block, (statement) => {
    if (statement.kind === 'allocate' || statement.kind === 'call') takers.push(statement);
  });
  return takers;
}

/** Refs whose adjoints the block reads or writes. */
export function adjointRefs(block: Block): Set<Ref> {
  const refs = new Set<Ref>();
  const add = (ref: Ref): void => {
    for (let at: Ref | null = ref; at !== null; at = at.parent) refs.add(at);
  };
  visitStatements(block, (statement) => {
    if (statement.kind === 'add_adjoint' || statement.kind === 'set_adjoint') add(statement.ref);
    if (statement.kind === 'kernel') {
      for (const argument of statement.args) if (argument.kind === 'pointer' && argument.adjoint) add(argument.ref);
    }
    for (const root of expressionsOf(statement)) {
      visitExpression(root, (node) => {
        if (node.kind === 'load_adjoint') add(node.ref);
      });
    }
  });
  return refs;
}
