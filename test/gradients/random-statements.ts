import fc from 'fast-check';
import {
  bounded,
  boundedComplex,
  boundedVector,
  choice,
  condition,
  index,
  pair,
  pick,
  real,
  vector,
  type Write,
} from './random-expressions.js';
import { foreach, forLoop, whileLoop } from './random-loops.js';
import type { Scope } from './scope.js';

const NOTHING = '{ }';

/** An assignment to an existing variable, with any of the assignment operators that keep it bounded. */
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

function oneOf(names: readonly string[], choice: number): string | null {
  return names.length === 0 ? null : names[choice % names.length];
}

const operator = fc.constantFrom('=', 'mix', '+=', '*=');

function declaration(type: string, prefix: string, value: Write, lists: (scope: Scope) => readonly string[][]): Write {
  return (scope) => {
    const text = value(scope);
    const name = scope.fresh(prefix);
    for (const list of lists(scope)) list.push(name);
    return `${type} ${name} = ${text};`;
  };
}

const scalarsAndVectors: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(choice, operator, bounded).map(([c, op, value]) => {
    return assignment(({ names }) => oneOf(names.writable, c), op, value);
  }),
  fc.tuple(choice, index, operator, bounded).map(([c, i, op, value]) => {
    const element = (scope: Scope): string | null => {
      const name = oneOf(scope.names.writableVectors, c);
      return name === null ? null : `${name}[${i(scope)}]`;
    };
    return assignment(element, op, value);
  }),
  fc.tuple(choice, boundedVector).map(([c, value]) => {
    return assignment(({ names }) => oneOf(names.writableVectors, c), '=', value);
  }),
  fc
    .tuple(choice, choice, fc.constantFrom('1:2', '2:3', '3:4', ':2', '3:', '{1, 4}'), bounded)
    .map(([c, d, range, value]) => (scope: Scope): string => {
      const name = oneOf(scope.names.writableVectors, c);
      const from = pick(scope.names.vectors, d, 'weights');
      return name === null ? NOTHING : `${name}[${range}] = ${from}[2:3] * ${value(scope)};`;
    }),
  choice.map((c) => ({ names }: Scope) => {
    const counter = oneOf(names.counters, c);
    return counter === null ? NOTHING : `${counter} = ${counter} + ${pick(names.indexes, c, '1')};`;
  }),
  bounded.map((value) => declaration('real', 's', value, ({ names }) => [names.reals, names.writable])),
  boundedVector.map((value) =>
    declaration('vector[4]', 'v', value, ({ names }) => [names.vectors, names.writableVectors]),
  ),
);

const targets: fc.Arbitrary<Write> = fc.oneof(
  real.map((value) => (scope: Scope) => (scope.addsToTarget ? `target += ${value(scope)};` : NOTHING)),
  fc.tuple(vector, bounded).map(([value, mean]) => (scope: Scope) => {
    return scope.addsToTarget ? `target += normal_lpdf(${value(scope)} | ${mean(scope)}, 1.3);` : NOTHING;
  }),
  fc.tuple(choice, fc.boolean(), bounded, vector).map(([c, counts, a, b]) => (scope: Scope) => {
    const name = oneOf(scope.functions[counts ? 'count' : 'nothing'], c);
    if (name === null || !scope.addsToTarget) return NOTHING;
    const call = `${name}(${a(scope)}, ${b(scope)}, 2);`;
    if (!counts) return call;
    const counter = oneOf(scope.names.counters, c);
    return counter === null ? NOTHING : `${counter} += ${call}`;
  }),
);

const leaving: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(condition, fc.boolean()).map(([c, stop]) => (scope: Scope) => {
    const { jumps } = scope;
    return jumps === null ? NOTHING : `if (${c(scope)}) ${stop ? jumps.leave : jumps.next}`;
  }),
  fc.tuple(condition, bounded, boundedVector).map(([c, a, b]) => (scope: Scope) => {
    switch (scope.returns) {
      case null:
        return NOTHING;
      case 'real':
        return `if (${c(scope)}) return ${a(scope)};`;
      case 'vector':
        return `if (${c(scope)}) return ${b(scope)};`;
      case 'pair':
        return `if (${c(scope)}) return (${a(scope)}, ${b(scope)});`;
      case 'nothing':
        return `if (${c(scope)}) return;`;
      case 'count':
        return `if (${c(scope)}) return 1;`;
    }
  }),
);

const complexes: fc.Arbitrary<Write> = fc.oneof(
  boundedComplex.map((value) =>
    declaration('complex', 'z', value, ({ names }) => [names.complexes, names.writableComplexes]),
  ),
  fc.tuple(choice, fc.constantFrom('=', '*=', '+='), boundedComplex).map(([c, op, value]) => (scope: Scope) => {
    const name = oneOf(scope.names.writableComplexes, c);
    if (name === null) return NOTHING;
    const text = value(scope);
    return op === '+=' ? `${name} = 0.5 * ${name} + ${text};` : `${name} ${op} ${text};`;
  }),
);

const TABLE = 'array[4] tuple(real, vector[4])';

/** Pairs, their slots, tuples of tuples, and tables of pairs. */
const tuples: fc.Arbitrary<Write> = fc.oneof(
  pair.map((value) =>
    declaration('tuple(real, vector[4])', 't', value, ({ names }) => [names.pairs, names.writablePairs]),
  ),
  fc.tuple(choice, pair).map(([c, value]) => assignment(({ names }) => oneOf(names.writablePairs, c), '=', value)),
  fc.tuple(choice, operator, bounded).map(([c, op, value]) => {
    const slot = ({ names }: Scope): string | null => {
      const name = oneOf(names.writablePairs, c);
      return name === null ? null : `${name}.1`;
    };
    return assignment(slot, op, value);
  }),
  fc.tuple(choice, index, operator, bounded).map(([c, i, op, value]) => {
    const element = (scope: Scope): string | null => {
      const name = oneOf(scope.names.writablePairs, c);
      return name === null ? null : `${name}.2[${i(scope)}]`;
    };
    return assignment(element, op, value);
  }),
  fc.tuple(choice, choice, pair).map(([c, d, value]) => (scope: Scope) => {
    const [first, second] = [oneOf(scope.names.writable, c), oneOf(scope.names.writableVectors, d)];
    return first === null || second === null ? NOTHING : `(${first}, ${second}) = ${value(scope)};`;
  }),
  fc.tuple(choice, choice, bounded, bounded).map(([c, d, a, b]) => (scope: Scope) => {
    const [first, second] = [oneOf(scope.names.writable, c), oneOf(scope.names.writableVectors, d)];
    return first === null || second === null ? NOTHING : `(${first}, ${second}[2]) = (${a(scope)}, ${b(scope)});`;
  }),
  fc.tuple(pair, pair, index, index, bounded).map(([a, b, i, j, value]) => (scope: Scope) => {
    const [first, second] = [a(scope), b(scope)];
    const at = i(scope);
    const text = value(scope);
    const name = scope.fresh('w');
    scope.names.tables.push(name);
    return `${TABLE} ${name} = {${first}, ${second}, ${first}, ${second}};
${name}[${at}].2[${j(scope)}] = ${text};
${name}[${at}] = ${name}[${j(scope)}];
${name}[${j(scope)}].1 *= 0.5;`;
  }),
  fc.tuple(pair, boundedComplex, index, bounded).map(([a, z, i, value]) => (scope: Scope) => {
    const parts = `(${a(scope)}, ${z(scope)})`;
    const text = value(scope);
    const name = scope.fresh('n');
    scope.names.pairs.push(`${name}.1`);
    scope.names.complexes.push(`${name}.2`);
    return `tuple(tuple(real, vector[4]), complex) ${name} = ${parts};\n${name}.1.2[${i(scope)}] = ${text};`;
  }),
);

const simple: fc.Arbitrary<Write> = fc.oneof(
  { arbitrary: scalarsAndVectors, weight: 7 },
  { arbitrary: targets, weight: 2 },
  { arbitrary: leaving, weight: 2 },
  { arbitrary: complexes, weight: 1 },
  { arbitrary: tuples, weight: 3 },
);

/** Elements of a longer vector, written at indexes that may repeat, and read immediately. */
const scratch: fc.Arbitrary<Write> = fc
  .tuple(fc.constantFrom('i + j', '4 * (i - 1) + j', '3 * (i - 1) + j', '6 + i - j', '17 - i - j'), bounded, bounded)
  .map(([at, value, next]) => (outer: Scope) => {
    const [w, i, j] = [outer.fresh('w'), outer.fresh('i'), outer.fresh('j')];
    const place = `${w}[${at.replaceAll('i', i).replaceAll('j', j)}]`;
    const scope = outer.inside();
    scope.names.indexes.push(i, j);
    const written = pick(scope.names.writable, 0, '');
    const text = value(scope);
    scope.names.reals.push(place);
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

export function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

/** Statements whose declarations are visible in the statements after them. */
export function sequence(statements: readonly Write[], scope: Scope): string {
  return statements
    .map((statement) => statement(scope))
    .filter((text) => text !== NOTHING)
    .join('\n');
}

function block(statements: readonly Write[], scope: Scope): string {
  return `{\n${indent(sequence(statements, scope))}\n}`;
}

export const { statement } = fc.letrec<{ statement: Write }>((tie) => {
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
        arbitrary: fc.tuple(fc.constantFrom('1', '2', 'some'), choice, body).map(([from, c, inner]) => {
          return (scope: Scope) => {
            const first = from === 'some' ? pick(scope.names.indexes, c, '3') : from;
            return forLoop(first, (iteration) => sequence(inner, iteration), scope);
          };
        }),
        weight: 4,
      },
      {
        arbitrary: fc.tuple(choice, body).map(([c, inner]) => (scope: Scope) => {
          const container = pick(scope.names.vectors, c, 'weights');
          return foreach(container, (iteration) => sequence(inner, iteration), scope);
        }),
        weight: 2,
      },
      {
        arbitrary: fc.tuple(condition, body).map(([c, inner]) => (scope: Scope) => {
          return whileLoop(c, (iteration) => sequence(inner, iteration), scope);
        }),
        weight: 2,
      },
    ),
  };
});
