import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format } from './format.js';
import { parse } from './parse.js';

function formatted(text: string, includes: Readonly<Record<string, string>> = {}): string {
  const texts = new Map(Object.entries(includes));
  const parsed = parse({ name: 'model.stan', text }, texts);
  if ('diagnostics' in parsed) throw new Error(parsed.diagnostics[0]?.message);
  return format(parsed.program, texts);
}

/** The formatted statements of a model block, without the block. */
function statements(text: string): string {
  return formatted(`model { ${text} }`)
    .replace(/^model \{\n|\n\}\n$/g, '')
    .replace(/^ {2}/gm, '');
}

test('blocks, indentation by two, one space around operators', () => {
  assert.equal(
    formatted('data{int<lower=0>N;array[N]real y;}model{target+=-0.5*sum(y[1:N])^2;if(N>1)print("n=",N);}'),
    `data {
  int<lower=0> N;
  array[N] real y;
}
model {
  target += -0.5 * sum(y[1 : N]) ^ 2;
  if (N > 1) 
    print("n=", N);
}
`,
  );
});

test('blank lines: one stays, several become one, and an indented one keeps its indentation', () => {
  assert.equal(
    formatted('model {\n\n  real a;\n  real b;\n\n\n\n  real c;\n}'),
    'model {\n  real a;\n  real b;\n  \n  real c;\n}\n',
  );
});

test('an empty block contains an indented line', () => {
  assert.equal(formatted('model{}'), 'model {\n  \n}\n');
});

test('arguments that do not fit are aligned with the first one, or after a long name at a fixed indentation', () => {
  const words = Array.from({ length: 12 }, (_, index) => `argument${index}`);
  assert.equal(
    statements(`f(${words.join(',')});`),
    `f(argument0, argument1, argument2, argument3, argument4, argument5,
  argument6, argument7, argument8, argument9, argument10, argument11);`,
  );
  assert.equal(
    statements(`a_rather_long_name(${words.join(',')});`),
    `a_rather_long_name(argument0, argument1, argument2, argument3, argument4,
  argument5, argument6, argument7, argument8, argument9, argument10,
  argument11);`,
  );
});

test('sums break before their operators', () => {
  const terms = Array.from({ length: 10 }, (_, index) => `long_term_${index}`);
  assert.equal(
    statements(`target += ${terms.join('+')};`),
    `target += long_term_0 + long_term_1 + long_term_2 + long_term_3
          + long_term_4 + long_term_5 + long_term_6 + long_term_7
          + long_term_8 + long_term_9;`,
  );
});

test('many parameters of a function are printed one per line', () => {
  const parameters = Array.from({ length: 8 }, (_, index) => `real argument${index}`);
  const text = formatted(`functions { real f(${parameters.join(', ')}) { return 1; } }`);
  assert.equal(text, `functions {\n  real f(${parameters.join(',\n         ')}) {\n    return 1;\n  }\n}\n`);
});

test('else if is not nested; a statement without braces moves to the next line', () => {
  assert.equal(
    statements('if (a) { f(); } else if (b) g(); else { h(); }'),
    'if (a) {\n  f();\n} else if (b) \n  g();\nelse {\n  h();\n}',
  );
});

test('numbers, brackets and constraints stay as written; bounds come in one order', () => {
  assert.equal(statements('x = ((1_000)) + 1e-3 * .5 + 2i;'), 'x = ((1_000)) + 1e-3 * .5 + 2i;');
  assert.equal(
    formatted('parameters { vector<upper=1,lower=0>[3] a; cholesky_factor_cov[2,2] L; cov_matrix[2] S; }'),
    'parameters {\n  vector<lower=0, upper=1>[3] a;\n  cholesky_factor_cov[2, 2] L;\n  cov_matrix[2] S;\n}\n',
  );
});

test('comments keep their place between, after and inside statements', () => {
  const text = `// first
data {
  int N; // how many
  
  /* two
     lines */
  real x;
}
model {
  target += normal_lpdf(x | 0 /* mean */, // then
                        1);
} // last`;
  assert.equal(formatted(text), text.replace(' // last', '\n// last'));
});

test('a comment without a place follows its statement and points up', () => {
  assert.equal(statements('while /* why */ (1) { }\n f();'), '/* why */\nwhile (1) {\n  \n}\nf();');
  assert.equal(statements('f(x[/* i */ 1]);\n g();'), 'f(x[1] /* i */);\ng();');
  assert.equal(statements('target += x[1 /* i */];\n g();'), 'target += x[1];\n\n/* ^^^: i */\ng();');
  assert.equal(
    statements('for (i // why\n in 1:size(x)) { f(); }\n g();'),
    'for (i in 1 : size(x)) {\n  // ^^^: why\n  f();\n}\ng();',
  );
});

test('includes are kept', () => {
  const text = 'functions {\n  #include f.stan\n}\n#include data.stan\nmodel {\n  real y = f();\n}\n';
  assert.equal(formatted(text, { 'f.stan': 'real f() { return 1; }', 'data.stan': 'data { int N; }' }), text);
  const quoted = '#include "my data.stan"\nmodel {\n  \n}\n';
  assert.equal(formatted(quoted, { 'my data.stan': 'data { }' }), quoted);
});

test('a program with an include inside a statement keeps its text', () => {
  const text = 'model {real x = \n#include one.stan\n;}';
  assert.equal(formatted(text, { 'one.stan': '1' }), text);
  const body = 'model {if (1)\n#include body.stan\n}';
  assert.equal(formatted(body, { 'body.stan': 'print(1);' }), body);
  const half = '#include half.stan\n}';
  assert.equal(formatted(half, { 'half.stan': 'model {' }), half);
});

test("formatting is idempotent where stanc's formatter would move a comment again", () => {
  const text = 'functions {\n  real f(real x) {\n    return - // why\n      x;\n  }\n}';
  const once = formatted(text);
  assert.equal(once, 'functions {\n  real f(real x) {\n    // why\n    return -x;\n  }\n}\n');
  assert.equal(formatted(once), once);
});

test('a comment beyond column 68 stays on its line', () => {
  const text = `model {\n  real ${'x'.repeat(65)}; /* note */\n  real y;\n}\n`;
  assert.equal(formatted(text), text);
});

test('bounds on several lines are formatted as they would be the second time', () => {
  const once = formatted(`parameters {
  real a;
  vector<lower=student_t_lccdf(1.5 | rep_vector(0.8, 3), [0.8, 1e-2, pi()]', [0.5, 0.25, 0.8]')>[3] b;
}`);
  assert.equal(formatted(once), once);
});

test('a tuple with one slot keeps its comma, a numeric slot its space', () => {
  assert.equal(statements('(a,) = (3.0,);'), '(a,) = (3.0,);');
  assert.equal(statements('a = 0 .7;'), 'a = 0 .7;');
});

test("canonical forms are stanc's: without redundant parentheses, with braces, without comments", () => {
  const text = `data { int N; }
model {
  real x = -((N)) - (-1) + ((1 + 2)) * (N);
  if (N > 1) x += (1); // why
  else if ((N > 2)) { x = 1; }
  while ((N > 1)) for (n in 1:(N)) if (n > 1) print(n); else { break; }
}
`;
  const parsed = parse({ name: 'model.stan', text });
  assert.ok('program' in parsed);
  const { program } = parsed;
  assert.equal(
    format(program, new Map(), { withoutParentheses: true, withBraces: true, withoutComments: true }),
    `data {
  int N;
}
model {
  real x = -N - (-1) + (1 + 2) * N;
  if (N > 1) {
    x += 1;
  } else if (N > 2) {
    x = 1;
  }
  while (N > 1) {
    for (n in 1 : N) {
      if (n > 1) {
        print(n);
      } else {
        break;
      }
    }
  }
}
`,
  );
  assert.match(format(program, new Map(), { withoutParentheses: true }), /\n {4}x \+= 1; \/\/ why\n {2}else if/);
});
