import type { Block, Expr, IrFunction, KernelArgument, PrintPart, Ref, Statement, Variable } from './nodes.js';
import type { OpName } from './ops.js';

const INFIX: Partial<Record<OpName, string>> = {
  add: '+',
  sub: '-',
  mul: '*',
  div: '/',
  add_int: '+',
  sub_int: '-',
  mul_int: '*',
  div_int: 'div',
  rem_int: 'rem',
  lt: '<',
  le: '<=',
  gt: '>',
  ge: '>=',
  eq: '==',
  ne: '!=',
  lt_int: '<',
  le_int: '<=',
  gt_int: '>',
  ge_int: '>=',
  eq_int: '==',
  ne_int: '!=',
  and: '&&',
  or: '||',
};

/** A block as readable text, one statement per line. Adjoints have a prime, real constants a decimal point. */
export function printBlock(block: Block): string {
  return new Printer().block(block).join('\n');
}

export function printStatement(statement: Statement): string {
  return new Printer().statement(statement).join('\n');
}

export function printExpr(e: Expr): string {
  return new Printer().expression(e);
}

export function printFunction({ name, parameters, results, body }: IrFunction): string {
  const printer = new Printer();
  const list = (variables: readonly Variable[]): string => variables.map((v) => printer.declared(v)).join(', ');
  return [`function ${name}(${list(parameters)}) -> (${list(results)}) {`, ...indent(printer.block(body)), '}'].join(
    '\n',
  );
}

/** Prints statements. Variables with equal names get different names, numbered in the order in which they appear. */
class Printer {
  readonly #names = new Map<Variable, string>();
  readonly #counts = new Map<string, number>();

  name(variable: Variable): string {
    const known = this.#names.get(variable);
    if (known !== undefined) return known;
    const count = (this.#counts.get(variable.name) ?? 0) + 1;
    this.#counts.set(variable.name, count);
    const name = count === 1 ? variable.name : `${variable.name}.${count}`;
    this.#names.set(variable, name);
    return name;
  }

  declared(variable: Variable): string {
    if (variable.kind === 'local') return `${variable.type} ${this.name(variable)}`;
    return `${variable.element}[${','.repeat(Math.max(0, variable.rank - 1))}] ${this.name(variable)}`;
  }

  block(block: Block): string[] {
    return block.flatMap((statement) => this.statement(statement));
  }

  statement(statement: Statement): string[] {
    switch (statement.kind) {
      case 'assign':
        return [`${this.name(statement.local)} = ${this.expression(statement.value)}`];
      case 'store':
        return [`${this.#element(statement.ref, statement.index)} = ${this.expression(statement.value)}`];
      case 'allocate': {
        const fill = statement.fill === 'none' ? '' : ` ${statement.fill}`;
        return [`allocate ${statement.ref.element} ${this.#sized(statement.ref, statement.sizes)}${fill}`];
      }
      case 'view': {
        const parent = statement.ref.parent === null ? '?' : this.name(statement.ref.parent);
        return [
          `view ${this.#sized(statement.ref, statement.sizes)} = ${parent} from ${this.expression(statement.offset)}`,
        ];
      }
      case 'target': {
        const term = statement.term === 'always' ? '' : ` (${statement.term})`;
        return [`target += ${this.expression(statement.value)}${term}`];
      }
      case 'for':
      case 'for_reverse': {
        const words = statement.kind === 'for' ? 'for' : 'for reverse';
        const range = `${this.expression(statement.from)} .. ${this.expression(statement.to)}`;
        return this.#around(`${words} ${this.name(statement.index)} in ${range}`, statement.body);
      }
      case 'while':
        return this.#around(`while ${this.expression(statement.condition)}`, statement.body);
      case 'if': {
        const then = this.#around(`if ${this.expression(statement.condition)}`, statement.then);
        if (statement.otherwise.length === 0) return then;
        return [...then.slice(0, -1), '} else {', ...indent(this.block(statement.otherwise)), '}'];
      }
      case 'labeled':
        return this.#around(`labeled ${statement.label}`, statement.body);
      case 'exit':
        return [`exit ${statement.label}`];
      case 'kernel': {
        const result = statement.result === null ? '' : `${this.name(statement.result)} = `;
        return [`${result}kernel ${statement.name}(${statement.args.map((a) => this.#argument(a)).join(', ')})`];
      }
      case 'call': {
        const results = statement.results.map((v) => this.name(v)).join(', ');
        const args = statement.args.map((a) => (a.kind === 'ref' ? this.name(a) : this.expression(a))).join(', ');
        return [`${results === '' ? '' : `${results} = `}call ${statement.callee}(${args})`];
      }
      case 'check': {
        const values = statement.values.map((value) => `, ${this.expression(value)}`).join('');
        return [
          `check ${this.expression(statement.condition)} else ${JSON.stringify(statement.failure.template)}${values}`,
        ];
      }
      case 'print':
        return statement.profile === undefined
          ? [`print ${this.#parts(statement.parts)}`]
          : [`${statement.profile.phase} profile ${JSON.stringify(statement.profile.name)}`];
      case 'reject':
        return [`${statement.fatal ? 'fatal_error' : 'reject'} ${this.#parts(statement.parts)}`];
      case 'add_adjoint':
        return [`${this.#adjoint(statement.ref, statement.index)} += ${this.expression(statement.value)}`];
      case 'set_adjoint':
        return [`${this.#adjoint(statement.ref, statement.index)} = ${this.expression(statement.value)}`];
      case 'push':
        return [`push ${this.expression(statement.value)}`];
      case 'pop':
        return [`pop ${this.name(statement.local)}`];
      case 'push_ref':
      case 'pop_ref':
        return [`${statement.kind} ${this.name(statement.ref)}`];
      case 'arena':
        return this.#around('arena', statement.body);
    }
  }

  expression(e: Expr): string {
    switch (e.kind) {
      case 'const':
        return e.type === 'real' && Number.isInteger(e.value) ? `${e.value}.0` : String(e.value);
      case 'get':
        return this.name(e.local);
      case 'load':
        return this.#element(e.ref, e.index);
      case 'load_adjoint':
        return this.#adjoint(e.ref, e.index);
      case 'size':
        return `size(${this.name(e.ref)}, ${e.axis})`;
      case 'target':
        return 'target';
      case 'apply':
        return this.#apply(e.op, e.args);
    }
  }

  #apply(op: OpName, args: readonly Expr[]): string {
    const infix = INFIX[op];
    if (infix !== undefined) return args.map((arg) => this.#operand(arg)).join(` ${infix} `);
    if (op === 'neg' || op === 'neg_int') return `-${this.#operand(args[0])}`;
    if (op === 'not') return `!${this.#operand(args[0])}`;
    return `${op}(${args.map((arg) => this.expression(arg)).join(', ')})`;
  }

  #operand(e: Expr): string {
    const text = this.expression(e);
    return e.kind === 'apply' && INFIX[e.op] !== undefined ? `(${text})` : text;
  }

  #element(ref: Ref, index: Expr): string {
    return `${this.name(ref)}[${this.expression(index)}]`;
  }

  #adjoint(ref: Ref, index: Expr): string {
    return `${this.name(ref)}'[${this.expression(index)}]`;
  }

  #sized(ref: Ref, sizes: readonly Expr[]): string {
    return `${this.name(ref)}[${sizes.map((size) => this.expression(size)).join(', ')}]`;
  }

  #argument(argument: KernelArgument): string {
    if (argument.kind === 'random_state') return 'random state';
    if (argument.kind !== 'pointer') return this.expression(argument);
    const offset = argument.offset === null ? '' : ` + ${this.#operand(argument.offset)}`;
    return `&${this.name(argument.ref)}${argument.adjoint ? "'" : ''}${offset}`;
  }

  #parts(parts: readonly PrintPart[]): string {
    return parts
      .map((part) => {
        if (part.kind === 'text') return JSON.stringify(part.text);
        return part.kind === 'scalar' ? this.expression(part.value) : `${part.element} ${this.name(part.ref)}`;
      })
      .join(', ');
  }

  #around(head: string, body: Block): string[] {
    return [`${head} {`, ...indent(this.block(body)), '}'];
  }
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
