import type { Block, Expr, KernelArgument, Local, PrintPart, Ref, Statement, Variable } from '../../ir/nodes.js';
import { copyOf } from '../../ir/remake.js';
import { mapBlocks, mapOwnNodes } from '../../ir/walk.js';

/**
 * A copy of the block with each mention of a variable replaced by another one of the same type and rank. Views of a replaced container become views
 * of the new one.
 */
export function substituteVariables(block: Block, replacements: ReadonlyMap<Variable, Variable>): Block {
  if (replacements.size === 0) return block;
  const substitution = new Substitution(replacements);
  const rewrite = (inner: Block): Block =>
    inner.map((statement) => {
      const own = mapOwnNodes(statement, (node) => substitution.node(node));
      return mapBlocks(substitution.own(own), rewrite);
    });
  return rewrite(block);
}

/** Replaces variables in nodes and statements. */
export class Substitution {
  readonly #replacements: ReadonlyMap<Variable, Variable>;
  readonly #views = new Map<Ref, Ref>();

  constructor(replacements: ReadonlyMap<Variable, Variable>) {
    this.#replacements = replacements;
  }

  local(l: Local): Local {
    const replacement = this.#replacements.get(l);
    return replacement?.kind === 'local' ? replacement : l;
  }

  ref(r: Ref): Ref {
    const replacement = this.#replacements.get(r) ?? this.#views.get(r);
    if (replacement?.kind === 'ref') return replacement;
    if (r.parent === null) return r;
    const parent = this.ref(r.parent);
    const view = parent === r.parent ? r : { ...r, parent };
    this.#views.set(r, view);
    return view;
  }

  /** The node with replaced variables; its operands do not change. */
  node(e: Expr): Expr {
    switch (e.kind) {
      case 'get': {
        const local = this.local(e.local);
        return local === e.local ? e : { kind: 'get', type: e.type, local };
      }
      case 'load': {
        const ref = this.ref(e.ref);
        return ref === e.ref ? e : { kind: 'load', type: e.type, ref, index: e.index };
      }
      case 'load_adjoint': {
        const ref = this.ref(e.ref);
        return ref === e.ref ? e : { kind: 'load_adjoint', type: 'real', ref, index: e.index };
      }
      case 'size': {
        const ref = this.ref(e.ref);
        return ref === e.ref ? e : { kind: 'size', type: 'int', ref, axis: e.axis };
      }
      default:
        return e;
    }
  }

  /** The statement with the variables that it mentions directly replaced; its expressions and blocks do not change. */
  own(statement: Statement): Statement {
    switch (statement.kind) {
      case 'assign':
        return { kind: 'assign', local: this.local(statement.local), value: statement.value };
      case 'pop':
        return { kind: 'pop', local: this.local(statement.local) };
      case 'store':
      case 'add_adjoint':
      case 'set_adjoint': {
        const { kind, index, value } = statement;
        return { kind, ref: this.ref(statement.ref), index, value };
      }
      case 'allocate': {
        const { sizes, fill, span, callers } = statement;
        return { kind: 'allocate', ref: this.ref(statement.ref), sizes, fill, span, callers };
      }
      case 'view':
        return { kind: 'view', ref: this.ref(statement.ref), offset: statement.offset, sizes: statement.sizes };
      case 'push_ref':
      case 'pop_ref':
        return { kind: statement.kind, ref: this.ref(statement.ref) };
      case 'for':
      case 'for_reverse': {
        const { kind, from, to, body } = statement;
        return { kind, index: this.local(statement.index), from, to, body };
      }
      case 'kernel':
        return {
          kind: 'kernel',
          name: statement.name,
          args: statement.args.map((argument) => this.#argument(argument)),
          result: statement.result === null ? null : this.local(statement.result),
        };
      case 'call':
        return {
          ...statement,
          args: statement.args.map((argument) => (argument.kind === 'ref' ? this.ref(argument) : argument)),
          results: statement.results.map((result) => (result.kind === 'local' ? this.local(result) : this.ref(result))),
        };
      case 'print':
      case 'reject':
        return { ...statement, parts: statement.parts.map((part) => this.#part(part)) };
      default:
        return copyOf(statement);
    }
  }

  #argument(argument: KernelArgument): KernelArgument {
    return argument.kind === 'pointer'
      ? { kind: 'pointer', ref: this.ref(argument.ref), offset: argument.offset, adjoint: argument.adjoint }
      : argument;
  }

  #part(part: PrintPart): PrintPart {
    return part.kind === 'container' ? { ...part, ref: this.ref(part.ref) } : part;
  }
}
