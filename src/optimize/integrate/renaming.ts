import type { Builder } from '../../ir/builder.js';
import type { KernelArgument, Local, Ref, Statement, Variable } from '../../ir/nodes.js';

/** New variables for those that a block assigns or allocates, so that a copy of the block can be part of the same function. */
export class Renaming {
  readonly #builder: Builder;
  readonly #isOwn: (variable: Variable) => boolean;
  readonly #locals = new Map<Local, Local>();
  readonly #refs = new Map<Ref, Ref>();
  readonly #originals = new Map<Ref, Ref>();

  /** `isOwn`: whether the block assigns or allocates the variable. */
  constructor(builder: Builder, isOwn: (variable: Variable) => boolean) {
    this.#builder = builder;
    this.#isOwn = isOwn;
  }

  local(local: Local): Local {
    return this.#isOwn(local) ? this.newLocal(local) : local;
  }

  newLocal(local: Local): Local {
    const made = this.#locals.get(local) ?? this.#builder.newLocal(local.type, local.name);
    this.#locals.set(local, made);
    return made;
  }

  ref(ref: Ref): Ref {
    return this.#isOwn(ref) ? this.newRef(ref, ref.parent && this.ref(ref.parent)) : ref;
  }

  newRef(ref: Ref, parent: Ref | null): Ref {
    const made = this.#refs.get(ref) ?? this.#builder.newRef(ref.element, ref.rank, ref.name, 'local', parent);
    this.#refs.set(ref, made);
    this.#originals.set(made, ref);
    return made;
  }

  /** The container that a new one replaces. */
  original(made: Ref): Ref {
    return this.#originals.get(made) ?? made;
  }

  /** The statement with new variables, apart from those in its expressions and blocks. */
  statement(statement: Statement): Statement {
    const argument = (each: KernelArgument): KernelArgument =>
      each.kind === 'pointer' ? { ...each, ref: this.ref(each.ref) } : each;
    switch (statement.kind) {
      case 'kernel': {
        const { result } = statement;
        return { ...statement, args: statement.args.map(argument), result: result && this.local(result) };
      }
      case 'call':
        return {
          ...statement,
          args: statement.args.map((each) => (each.kind === 'ref' ? this.ref(each) : each)),
          results: statement.results.map((each) => (each.kind === 'ref' ? this.ref(each) : this.local(each))),
        };
      case 'reject':
        return {
          ...statement,
          parts: statement.parts.map((part) =>
            part.kind === 'container' ? { ...part, ref: this.ref(part.ref) } : part,
          ),
        };
      default:
        return statement;
    }
  }
}
