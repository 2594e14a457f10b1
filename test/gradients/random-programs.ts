import fc from 'fast-check';
import { verifyStages } from '../support/verify-stages.js';
import { checkGradient } from './agreement.js';
import { Scope } from './scope.js';

/**
 * Random Stan programs for the gradient: nested control flow around scalars and vectors that are written again and
 * again, user functions with early returns and recursion. What is assigned stays within a few units of zero and
 * everything is smooth but for the conditions, so that central differences can be believed.
 */
type Write = (scope: Scope) => string;

function pick(names: readonly string[], choice: number, otherwise: string): string {
  return names.length === 0 ? otherwise : names[choice % names.length];
}

/** The parts of a template are written in order: `text(scope => …)` of constant pieces and parts. */
function write(strings: TemplateStringsArray, ...parts: readonly (Write | string)[]): Write {
  return (scope) =>
    strings.reduce((text, piece, k) => {
      const part = parts[k - 1];
      return text + (typeof part === 'string' ? part : part(scope)) + piece;
    });
}

const choice = fc.nat({ max: 11 });

const index: fc.Arbitrary<Write> = fc.oneof(
  fc.integer({ min: 1, max: 4 }).map((i) => () => String(i)),
  choice.map((c) => (scope: Scope) => pick(scope.indexes, c, '2')),
  fc.tuple(choice, choice).map(([c, d]) => (scope: Scope) => {
    return `1 + (${pick(scope.indexes, c, '1')} + ${pick(scope.counters, d, '3')}) % 4`;
  }),
  choice.map((c) => (scope: Scope) => `order[${pick(scope.indexes, c, '3')}]`),
);

const { real, vector, condition } = fc.letrec<{ real: Write; vector: Write; condition: Write }>((tie) => {
  const r = tie('real');
  const v = tie('vector');
  return {
    real: fc.oneof(
      { depthSize: 'small', withCrossShrink: true, maxDepth: 4, depthIdentifier: 'expression' },
      choice.map((c) => (scope: Scope) => pick(scope.reals, c, '0.4')),
      fc.constantFrom('0.3', '1.2', '-0.7', '2').map((text) => () => text),
      fc.tuple(choice, index).map(
        ([c, i]) =>
          (scope: Scope) =>
            `${pick(scope.vectors, c, 'weights')}[${i(scope)}]`,
      ),
      index.map((i) => write`weights[${i}]`),
      fc.tuple(r, fc.constantFrom('+', '-', '*'), r).map(([a, op, b]) => write`(${a} ${op} ${b})`),
      fc
        .tuple(fc.constantFrom('tanh', 'sin', 'inv_logit', 'log1p_exp', 'square'), r)
        .map(([f, a]) => write`${f}(${a})`),
      r.map((a) => write`exp(-square(${a}))`),
      r.map((a) => write`sqrt(1.1 + sin(${a}))`),
      fc
        .tuple(r, r)
        .map(([a, b]) => write`${a} / (1 + square(${b}))`)
        .map((w) => write`(${w})`),
      fc
        .tuple(r, r)
        .map(([a, b]) => write`(1.5 + tanh(${a})) ^ tanh(${b})`)
        .map((w) => write`(${w})`),
      fc.tuple(r, r).map(([a, b]) => write`log_sum_exp(${a}, ${b})`),
      fc.tuple(tie('condition'), r, r).map(([c, a, b]) => write`(${c} ? ${a} : ${b})`),
      fc.tuple(v, v).map(([a, b]) => write`dot_product(${a}, ${b})`),
      v.map((a) => write`sum(${a})`),
      fc.tuple(choice, r, v).map(([c, a, b]) => (scope: Scope) => {
        return `${pick(scope.realFunctions, c, 'plain')}(${a(scope)}, ${b(scope)}, 2)`;
      }),
    ),
    vector: fc.oneof(
      { depthSize: 'small', withCrossShrink: true, maxDepth: 4, depthIdentifier: 'expression' },
      choice.map((c) => (scope: Scope) => pick(scope.vectors, c, 'weights')),
      fc.tuple(v, fc.constantFrom('+', '-', '.*'), v).map(([a, op, b]) => write`(${a} ${op} ${b})`),
      fc.tuple(v, fc.constantFrom('+', '*'), r).map(([a, op, b]) => write`(${a} ${op} ${b})`),
      fc.tuple(fc.constantFrom('tanh', 'sin', 'reverse', 'softmax'), v).map(([f, a]) => write`${f}(${a})`),
      v.map((a) => write`${a}[order]`).map((w) => write`(${w})`),
      fc.tuple(v, v).map(([a, b]) => write`append_row(head(${a}, 2), tail(${b}, 2))`),
      fc.tuple(v, v).map(([a, b]) => write`(${a} ./ (1 + square(${b})))`),
      v.map((a) => write`(mixing * ${a})`),
      v.map((a) => write`cumulative_sum(0.3 * ${a})`),
      fc.tuple(choice, r, v).map(([c, a, b]) => (scope: Scope) => {
        return `${pick(scope.vectorFunctions, c, 'shifted')}(${a(scope)}, ${b(scope)}, 2)`;
      }),
    ),
    condition: fc.oneof(
      fc.tuple(index, fc.constantFrom('==', '<', '>='), index).map(([a, op, b]) => write`${a} ${op} ${b}`),
      r.map((a) => write`${a} > 0.21`),
      fc.tuple(r, r).map(([a, b]) => write`${a} < ${b}`),
      fc.tuple(index, index, r).map(([a, b, c]) => write`${a} == ${b} || ${c} > 0.33`),
    ),
  };
});

/** A value for something that is written: within a few units of zero, whatever was there before. */
const bounded: fc.Arbitrary<Write> = fc.oneof(
  real.map((a) => write`tanh(${a})`),
  real.map((a) => write`sin(${a})`),
  choice.map((c) => (scope: Scope) => pick(scope.reals, c, '0.4')),
);

const boundedVector: fc.Arbitrary<Write> = fc.oneof(
  vector.map((a) => write`tanh(${a})`),
  vector.map((a) => write`sin(${a})`),
  choice.map((c) => (scope: Scope) => pick(scope.vectors, c, 'weights')),
);

const NOTHING = '{ }';

/** An assignment to something that exists, by any of the assignment operators that keep it bounded. */
function assignment(place: (scope: Scope) => string | null, operator: string, value: Write): Write {
  return (scope) => {
    const written = place(scope);
    if (written === null) return NOTHING;
    const text = value(scope);
    switch (operator) {
      case '=':
        return `${written} = ${text};`;
      case 'mix':
        return `${written} = 0.4 * ${written} + tanh(${text});`;
      case '+=':
        return `${written} += 0.2 * tanh(${text});`;
      default:
        return `${written} *= tanh(${text});`;
    }
  };
}

const operator = fc.constantFrom('=', 'mix', '+=', '*=');

const simple: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(choice, operator, bounded).map(([c, op, value]) => {
    return assignment((scope) => (scope.writable.length === 0 ? null : pick(scope.writable, c, '')), op, value);
  }),
  fc.tuple(choice, index, operator, bounded).map(([c, i, op, value]) => {
    return assignment(
      (scope) => (scope.writableVectors.length === 0 ? null : `${pick(scope.writableVectors, c, '')}[${i(scope)}]`),
      op,
      value,
    );
  }),
  fc.tuple(choice, boundedVector).map(([c, value]) => {
    return assignment((s) => (s.writableVectors.length === 0 ? null : pick(s.writableVectors, c, '')), '=', value);
  }),
  fc
    .tuple(choice, choice, fc.constantFrom('1:2', '2:3', '3:4', ':2', '3:', '{1, 4}'), bounded)
    .map(([c, d, range, value]) => {
      return (scope: Scope): string => {
        if (scope.writableVectors.length === 0) return NOTHING;
        const from = pick(scope.vectors, d, 'weights');
        return `${pick(scope.writableVectors, c, '')}[${range}] = ${from}[2:3] * ${value(scope)};`;
      };
    }),
  choice.map((c) => (scope: Scope) => {
    const counter = pick(scope.counters, c, '');
    return counter === '' ? NOTHING : `${counter} = ${counter} + ${pick(scope.indexes, c, '1')};`;
  }),
  bounded.map((value) => (scope: Scope) => {
    const text = value(scope);
    const name = scope.fresh('s');
    scope.reals.push(name);
    scope.writable.push(name);
    return `real ${name} = ${text};`;
  }),
  boundedVector.map((value) => (scope: Scope) => {
    const text = value(scope);
    const name = scope.fresh('v');
    scope.vectors.push(name);
    scope.writableVectors.push(name);
    return `vector[4] ${name} = ${text};`;
  }),
  real.map((value) => (scope: Scope) => (scope.returns === null ? `target += ${value(scope)};` : NOTHING)),
  fc.tuple(vector, bounded).map(([value, mean]) => (scope: Scope) => {
    return scope.returns === null ? `target += normal_lpdf(${value(scope)} | ${mean(scope)}, 1.3);` : NOTHING;
  }),
  fc.tuple(condition, fc.boolean()).map(([c, stop]) => (scope: Scope) => {
    return scope.inLoop ? `if (${c(scope)}) ${stop ? 'break' : 'continue'};` : NOTHING;
  }),
  fc.tuple(condition, bounded, boundedVector).map(([c, a, b]) => (scope: Scope) => {
    if (scope.returns === null) return NOTHING;
    return `if (${c(scope)}) return ${scope.returns === 'real' ? a(scope) : b(scope)};`;
  }),
);

/** Elements of a longer vector, written at indexes that may or may not come again, and read at once. */
const scratch: fc.Arbitrary<Write> = fc
  .tuple(fc.constantFrom('i + j', '4 * (i - 1) + j', '3 * (i - 1) + j', '6 + i - j', '17 - i - j'), bounded, bounded)
  .map(([at, value, next]) => (outer: Scope) => {
    const [w, i, j] = [outer.fresh('w'), outer.fresh('i'), outer.fresh('j')];
    const place = `${w}[${at.replaceAll('i', i).replaceAll('j', j)}]`;
    const scope = outer.inside({ inLoop: true });
    scope.indexes.push(i, j);
    const written = pick(scope.writable, 0, '');
    const text = value(scope);
    scope.reals.push(place);
    const use = written === '' ? '' : `\n      ${written} = tanh(${next(scope)} + square(${place}));`;
    return `{
  vector[16] ${w};
  for (${i} in 1:4) {
    for (${j} in 1:4) {
      ${place} = ${text};${use}
    }
  }
}`;
  });

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

/** Statements with one another's declarations in sight. */
function sequence(statements: readonly Write[], scope: Scope): string {
  return statements
    .map((statement) => statement(scope))
    .filter((text) => text !== NOTHING)
    .join('\n');
}

function block(statements: readonly Write[], scope: Scope): string {
  return `{\n${indent(sequence(statements, scope))}\n}`;
}

const { statement } = fc.letrec<{ statement: Write }>((tie) => {
  const body = fc.array(tie('statement'), { minLength: 1, maxLength: 4, depthIdentifier: 'statement' });
  return {
    statement: fc.oneof(
      { depthSize: 'small', withCrossShrink: true, maxDepth: 3, depthIdentifier: 'statement' },
      { arbitrary: simple, weight: 10 },
      { arbitrary: scratch, weight: 1 },
      {
        arbitrary: fc.tuple(condition, body, fc.option(body)).map(([c, then, otherwise]) => (scope: Scope) => {
          const head = `if (${c(scope)}) ${block(then, scope.inside())}`;
          return otherwise === null ? head : `${head} else ${block(otherwise, scope.inside())}`;
        }),
        weight: 2,
      },
      {
        arbitrary: fc
          .tuple(fc.constantFrom('1', '2', 'some'), choice, body)
          .map(([from, c, inner]) => (outer: Scope) => {
            const first = from === 'some' ? pick(outer.indexes, c, '3') : from;
            const scope = outer.inside({ inLoop: true });
            const name = scope.fresh('i');
            scope.indexes.push(name);
            return `for (${name} in ${first}:4) ${block(inner, scope)}`;
          }),
        weight: 4,
      },
      {
        arbitrary: fc.tuple(choice, body).map(([c, inner]) => (outer: Scope) => {
          const scope = outer.inside({ inLoop: true });
          const name = scope.fresh('e');
          scope.reals.push(name);
          return `for (${name} in ${pick(outer.vectors, c, 'weights')}) ${block(inner, scope)}`;
        }),
        weight: 2,
      },
      {
        arbitrary: fc.tuple(condition, body).map(([c, inner]) => (outer: Scope) => {
          const scope = outer.inside({ inLoop: true });
          const name = scope.fresh('n');
          scope.counters.push(name);
          const head = `while (${name} < 4 && (${name} == 0 || ${c(scope)})) `;
          const inside = indent(`${name} += 1;\n${sequence(inner, scope.inside())}`);
          return `{\n  int ${name} = 0;\n${indent(`${head}{\n${inside}\n}`)}\n}`;
        }),
        weight: 2,
      },
    ),
  };
});

interface FunctionParts {
  readonly returns: 'real' | 'vector';
  readonly recursive: boolean;
  readonly body: readonly Write[];
  readonly last: Write;
  readonly step: Write;
}

const functionParts: fc.Arbitrary<FunctionParts> = fc
  .constantFrom('real' as const, 'vector' as const)
  .chain((returns) => {
    const value = returns === 'real' ? bounded : boundedVector;
    return fc.record({
      returns: fc.constant(returns),
      recursive: fc.boolean(),
      body: fc.array(statement, { maxLength: 4 }),
      last: value,
      step: bounded,
    });
  });

function writeFunction(parts: FunctionParts, outer: Scope): string {
  const name = outer.fresh(parts.returns === 'real' ? 'f' : 'g');
  const scope = outer.inside({ returns: parts.returns });
  const [p, u, n] = [scope.fresh('p'), scope.fresh('u'), scope.fresh('n')];
  scope.reals.push(p);
  scope.vectors.push(u);
  const counter = scope.fresh('k');
  scope.counters.push(counter);
  const globals = indent(`array[4] int order = {3, 1, 4, 2};
vector[4] weights = [0.3, -0.8, 1.1, 0.2]';
matrix[4, 4] mixing = 0.2 + diag_matrix(weights);
int ${counter} = ${n};
${parts.recursive ? `if (${n} <= 0) return ${parts.returns === 'real' ? `sin(${p}) + ${u}[3]` : `${u} * ${p}`};` : ''}`);
  const body = indent(sequence(parts.body, scope));
  const last = parts.last(scope);
  const again = parts.recursive ? ` + 0.5 * ${name}(${parts.step(scope)}, ${u}, ${n} - 1)` : '';
  (parts.returns === 'real' ? outer.realFunctions : outer.vectorFunctions).push(name);
  return `${parts.returns} ${name}(real ${p}, vector ${u}, int ${n}) {\n${globals}\n${body}\n  return ${last}${again};\n}`;
}

/** Texts of whole programs without data. */
export const randomProgram: fc.Arbitrary<string> = fc
  .tuple(fc.array(functionParts, { maxLength: 2 }), fc.array(statement, { minLength: 1, maxLength: 6 }), real)
  .map(([functions, statements, last]) => {
    const scope = new Scope();
    const definitions = functions.map((parts) => indent(writeFunction(parts, scope)));
    scope.reals.push('a', 'b', 'c', 'r', 'q');
    scope.writable.push('r', 'q');
    scope.vectors.push('x', 'y', 'z');
    scope.writableVectors.push('y', 'z');
    scope.counters.push('k');
    return `functions {
  real plain(real s, vector v, int n) { return s * v[n]; }
  vector shifted(real s, vector v, int n) { return v + s * n; }
${definitions.join('\n')}
}
transformed data {
  array[4] int order = {3, 1, 4, 2};
  vector[4] weights = [0.3, -0.8, 1.1, 0.2]';
  matrix[4, 4] mixing = 0.2 + diag_matrix(weights);
}
parameters {
  real a;
  real b;
  real<lower=-2, upper=1> c;
  vector[4] x;
}
model {
  real r = a;
  real q = 0.5;
  vector[4] y = x * b;
  vector[4] z = weights;
  int k = 1;
${indent(sequence(statements, scope))}
  target += ${last(scope)} - square(r) - dot_self(y) + sum(z) * q;
}
`;
  });

/** The property that every random program has: its IR is well formed after every pass, its gradient agrees with differences. */
export function checkProgram(program: string): void {
  verifyStages(program);
  checkGradient(program);
}
