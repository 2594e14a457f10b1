import type { Block, Expr, KernelArgument, Local, PrintPart, Ref, Statement, Variable } from '../ir/nodes.js';
import { mapBlocks, mapExpression, mapExpressions } from '../ir/walk.js';

/**
 * A copy of the block with variables replaced by others of the same type and rank, wherever they are mentioned: views of a replaced
 * container view the new one.
 */
export function substituteVariables(block: Block, replacements: ReadonlyMap<Variable, Variable>): Block {
  if (replacements.size === 0) return block;
  const substitution = new Substitution(replacements);
  const done = new Map<Expr, Expr>();
  const expression = (root: Expr): Expr => mapExpression(root, (node) => substitution.node(node), done);
  const rewrite = (inner: Block): Block =>
    inner.map((statement) => mapBlocks(substitution.own(mapExpressions(statement, expression)), rewrite));
  return rewrite(block);
}

/** Puts variables in the place of others, node by node and statement by statement. */
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

  /** The node, its operands as they are. */
  node(e: Expr): Expr {
    switch (e.kind) {
      case 'get': {
        const local = this.local(e.local);
        return local === e.local ? e : { ...e, local };
      }
      case 'load':
      case 'load_adjoint':
      case 'size': {
        const ref = this.ref(e.ref);
        return ref === e.ref ? e : { ...e, ref };
      }
      default:
        return e;
    }
  }

  /** A new statement with other variables than those that the statement names itself; its expressions and blocks as they are. */
  own(statement: Statement): Statement {
    switch (statement.kind) {
      case 'assign':
      case 'pop':
        return { ...statement, local: this.local(statement.local) };
      case 'store':
      case 'add_adjoint':
      case 'set_adjoint':
      case 'allocate':
      case 'view':
      case 'push_ref':
      case 'pop_ref':
        return { ...statement, ref: this.ref(statement.ref) };
      case 'for':
      case 'for_reverse':
        return { ...statement, index: this.local(statement.index) };
      case 'kernel':
        return {
          ...statement,
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
        return { ...statement };
    }
  }

  #argument(argument: KernelArgument): KernelArgument {
    return argument.kind === 'pointer' ? { ...argument, ref: this.ref(argument.ref) } : argument;
  }

  #part(part: PrintPart): PrintPart {
    return part.kind === 'container' ? { ...part, ref: this.ref(part.ref) } : part;
  }
}
