import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { signatureTable } from '../language/overloads.js';
import type { Signature } from '../language/signature.js';
import { arrayOf, INT, REAL, showType, type Type, VECTOR } from '../language/types.js';
import type { Statement } from '../syntax/ast.js';
import { parse } from '../syntax/parse.js';
import { check } from './check.js';
import type { Typed, TypedProgram } from './typed.js';

const signature = (name: string, result: Type, ...types: Type[]): Signature => ({
  name,
  parameters: types.map((type) => ({ type, level: 'autodiff' })),
  result,
});

const LIBRARY = signatureTable(
  [
    signature('exp', REAL, REAL),
    signature('exp', VECTOR, VECTOR),
    signature('sum', REAL, VECTOR),
    signature('num_elements', INT, VECTOR),
    signature('normal_lpdf', REAL, REAL, REAL, REAL),
    signature('normal_lpdf', REAL, VECTOR, REAL, REAL),
    signature('normal_lcdf', REAL, REAL, REAL, REAL),
    signature('normal_lccdf', REAL, REAL, REAL, REAL),
    signature('normal_rng', REAL, REAL, REAL),
    signature('poisson_lpmf', REAL, INT, REAL),
    signature('poisson_lpmf', REAL, arrayOf(INT), REAL),
    signature('logit', REAL, REAL),
  ],
  new Set(['matrix_exp']),
);

function checked(text: string) {
  const parsed = parse({ name: 'model.stan', text });
  assert.ok('program' in parsed, 'the program is well-formed');
  return check(parsed.program, LIBRARY);
}

function accepted(text: string): TypedProgram {
  const result = checked(text);
  if ('diagnostics' in result) assert.fail(result.diagnostics[0].message);
  return result.program;
}

function refused(text: string) {
  const result = checked(text);
  assert.ok('diagnostics' in result, 'the program is refused');
  const [{ kind, message, span }] = result.diagnostics;
  return { kind, message, place: `${span.begin.line}:${span.begin.column}` };
}

function warnings(text: string): string[] {
  const result = checked(text);
  assert.ok('warnings' in result);
  return result.warnings.map(({ message }) => message.split('\n')[0]);
}

function modelStatements(text: string): readonly Statement<Typed>[] {
  const program = accepted(text);
  assert.ok(program.tree.model !== undefined);
  return program.tree.model.statements;
}

function onlyStatement<K extends Statement<Typed>['kind']>(
  kind: K,
  text: string,
): Extract<Statement<Typed>, { readonly kind: K }> {
  const statements = modelStatements(text);
  const found = statements.find((s): s is Extract<Statement<Typed>, { readonly kind: K }> => s.kind === kind);
  assert.ok(found !== undefined, `the model has a statement of kind ${kind}`);
  return found;
}

describe('a checked program', () => {
  it('has the type, level and declaration of every variable', () => {
    const { value } = onlyStatement('target', 'data { int n; } parameters { real x; } model { target += n * x; }');
    assert.ok(value.kind === 'binary');
    assert.equal(showType(value.type), 'real');
    assert.equal(value.level, 'autodiff');
    assert.equal(value.operatorFunction, 'multiply');
    assert.equal(value.left.level, 'data');
    assert.equal(value.left.promotedTo?.kind, 'real');
    assert.ok(value.right.symbol?.kind === 'variable');
    assert.equal(value.right.symbol.block, 'parameters');
    assert.equal(value.right.symbol.role, 'global');
  });

  it('resolves the density of a distribution statement and marks promotions', () => {
    const tilde = onlyStatement('tilde', 'parameters { real x; } model { x ~ normal(0, 1.5); }');
    assert.ok(tilde.callee.kind === 'library');
    assert.equal(tilde.callee.signature.name, 'normal_lpdf');
    assert.equal(tilde.dropsConstants, true);
    assert.equal(tilde.arguments[0].promotedTo?.kind, 'real');
    assert.equal(tilde.arguments[1].promotedTo, undefined);
  });

  it('resolves the cumulative functions of a truncation', () => {
    const tilde = onlyStatement('tilde', 'parameters { real x; } model { x ~ normal(0, 1) T[0, ]; }');
    const lccdf = tilde.truncationCallees?.lower?.lccdf;
    assert.ok(lccdf?.kind === 'library');
    assert.equal(lccdf.signature.name, 'normal_lccdf');
    assert.equal(tilde.truncationCallees?.upper, undefined);
  });

  it('prefers user functions that match exactly over promotions to library functions', () => {
    const { value } = onlyStatement(
      'target',
      'functions { real exp(int n) { return n; } } model { target += exp(1); }',
    );
    assert.ok(value.kind === 'call' && value.callee.kind === 'user');
    assert.equal(value.callee.function.id, 0);
  });

  it('treats local variables of the model as autodiff and ints as data', () => {
    const [, , target] = modelStatements('model { real a = 1; int n = 2; target += a ^ n; }');
    assert.ok(target.kind === 'target' && target.value.kind === 'binary');
    assert.equal(target.value.left.level, 'autodiff');
    assert.equal(target.value.right.level, 'data');
  });

  it('treats everything in generated quantities as data', () => {
    const { tree } = accepted('parameters { real x; } generated quantities { real y = x; }');
    const declaration = tree.generatedQuantities?.statements[0];
    assert.ok(declaration?.kind === 'declaration');
    assert.equal(declaration.variables[0].initialValue?.level, 'data');
  });

  it('lists functions in order of definition, merged with forward declarations', () => {
    const { functions } = accepted(
      'functions { real f(real x); real g(real x) { return f(x); } real f(real x) { return x; } }',
    );
    assert.deepEqual(
      functions.map((f) => [f.function.name, f.function.id]),
      [
        ['g', 1],
        ['f', 0],
      ],
    );
  });

  it('types array literals by the common type of their elements', () => {
    const { tree } = accepted('transformed data { array[2] real x = {1, 2.5}; }');
    const declaration = tree.transformedData?.statements[0];
    assert.ok(declaration?.kind === 'declaration');
    const literal = declaration.variables[0].initialValue;
    assert.ok(literal?.kind === 'arrayLiteral');
    assert.equal(showType(literal.type), 'array[] real');
    assert.equal(literal.elements[0].promotedTo?.kind, 'real');
  });
});

describe('an error', () => {
  const cases: readonly (readonly [what: string, program: string, place: string, message: RegExp])[] = [
    ['an unknown name', 'model { real sigma; target += sgima; }', '1:30', /"sgima" not in scope. Did you mean "sigma"/],
    ['a name in use', 'model { real a; real a; }', '1:21', /^Identifier "a" is already in use\.$/],
    ['a reserved name', 'model { real a__; }', '1:13', /reserved keyword/],
    ["the model's name", 'model { real model_model; }', '1:13', /clashes with model name/],
    ['writing to data', 'data { real x; } model { x = 1; }', '1:25', /global variable "x" declared previously in data/],
    ['writing to a loop variable', 'model { for (i in 1:2) i = 3; }', '1:23', /loop identifier "i"/],
    ['a wrong type', 'model { int n = 1.5; }', '1:8', /type matching the destination \(int\)/],
    ['mixed operands', "model { vector[2] v; target += v + v'; }", '1:31', /infix operator \+/],
    ['too many indices', 'model { vector[2] v; target += v[1, 2]; }', '1:31', /only has 1 dimensions, but received 2/],
    ['an autodiff size', 'parameters { int n; }', '1:13', /^Parameters cannot be integers\.$/],
    [
      'a size of parameters',
      "parameters { real x; vector[num_elements([x]')] v; }",
      '1:42',
      /this variable was declared in the parameters block/,
    ],
    ['random numbers in the model', 'model { real x = normal_rng(0, 1); }', '1:17', /^Random number generators/],
    ['target elsewhere', 'generated quantities { target += 1; }', '1:23', /^Target can only be accessed/],
    ['break outside loops', 'model { break; }', '1:8', /^Break statements/],
    ['a missing return', 'functions { real f(real x) { if (x > 0) return x; } }', '1:12', /^Function bodies must/],
    ['a function without body', 'functions { real f(real x); }', '1:17', /without specifying a definition/],
    [
      'a function twice',
      'functions { real f(real x) { return x; } real f(real x) { return x; } }',
      '1:41',
      /already been/,
    ],
    ['a library function again', 'functions { real exp(real x) { return x; } }', '1:12', /Stan Math library/],
    ['no such distribution', 'parameters { real x; } model { x ~ nosuch(1); }', '1:35', /"nosuch_lpdf" was found/],
    ['a missing truncation', 'model { 1 ~ poisson(2) T[0, ]; }', '1:8', /^Truncation is only defined/],
    ['a density without bar', 'model { target += normal_lpdf(1, 2, 3); }', '1:18', /vertical bar/],
    ['an index that is not an int', 'model { vector[2] v; target += v[1.5]; }', '1:33', /^Index must be of type int/],
    ['the wrong overload', 'model { target += exp(exp); }', '1:18', /^Ill-typed arguments supplied to function "exp"/],
    ['a slot too far', 'model { tuple(int, int) t; target += t.3; }', '1:37', /index 3 for a tuple of length 2/],
    ['one place written twice', 'model { int a; (a, a) = (1, 2); }', '1:15', /cannot be assigned to multiple times/],
    [
      'data asked for',
      'functions { real f(data real x) { return x; } } model { real y; target += f(y); }',
      '1:74',
      /data-only/,
    ],
  ];
  for (const [what, program, place, message] of cases) {
    it(`for ${what} is reported at its location`, () => {
      const refusal = refused(program);
      assert.equal(refusal.kind, 'semantic');
      assert.match(refusal.message.replaceAll('\n', ' '), message);
      assert.equal(refusal.place, place);
    });
  }

  it('for a Stan function without signatures here is not a semantic error', () => {
    assert.equal(refused('model { matrix[2, 2] m = matrix_exp(m); }').kind, 'unsupported');
  });

  it('for a tuple that is too large names the size', () => {
    const program = (copies: number): string =>
      `parameters { real a; } model { print((${Array(copies).fill('(a, a, (a, a))').join()})); }`;
    assert.ok('program' in checked(program(150)));
    const { kind, message } = refused(program(250));
    assert.equal(kind, 'unsupported');
    assert.match(message, /at most 1000 slots/);
  });

  it('lists the nearest signatures', () => {
    assert.equal(
      refused('model { vector[2] v; target += poisson_lpmf(v | 1); }').message,
      [
        'Ill-typed arguments supplied to function "poisson_lpmf":',
        '(vector, int)',
        'Available signatures:',
        '(array[] int, real) => real',
        '  The first argument must be array[] int but got vector',
        '(int, real) => real',
        '  The first argument must be int but got vector',
      ].join('\n'),
    );
  });
});

describe('a function with a function parameter', () => {
  const SYSTEM = 'functions { vector f(real t, vector y, real a) { return a * y; } }';

  it('is checked with the arguments that it forwards', () => {
    const { tree } = accepted(
      `${SYSTEM} transformed data { array[2] vector[2] z = ode_rk45(f, [1, 2]', 0, {1.0, 2.0}, 3); }`,
    );
    const declaration = tree.transformedData?.statements[0];
    assert.ok(declaration?.kind === 'declaration');
    const call = declaration.variables[0].initialValue;
    assert.ok(call?.kind === 'call' && call.callee.kind === 'higherOrder');
    assert.equal(call.callee.name, 'ode_rk45');
    assert.ok(call.arguments[0].symbol?.kind === 'function');
    assert.equal(call.arguments[0].symbol.function?.name, 'f');
    assert.equal(call.arguments[4].promotedTo?.kind, 'real');
  });

  it('is rejected with other arguments', () => {
    const refusal = refused(
      `${SYSTEM} transformed data { array[2] vector[2] z = ode_rk45(f, [1, 2]', 0, {1.0, 2.0}, [3, 4]); }`,
    );
    assert.match(refusal.message, /The 5th argument must be real but got row_vector/);
  });
});

describe('a warning', () => {
  const cases: readonly (readonly [what: string, program: string, first: string])[] = [
    ['division of ints', 'transformed data { int n = 7 / 2; }', 'Found int division:'],
    ['chained comparison', 'transformed data { int n = 1 < 2 < 3; }', 'Found chained comparison'],
    ['powers of matrices', 'transformed data { matrix[2, 2] m; matrix[2, 2] k = m ^ 2; }', 'Found matrix^scalar:'],
    ['assignment to itself', 'model { real x = 1; x = (x); }', 'Assignment of variable to itself.'],
    [
      'a declaration that reads its own variable as an index',
      'model { array[2] int n; int k = n[1 + k]; }',
      'Assignment of variable to itself during declaration. This is almost certainly a bug.',
    ],
  ];
  for (const [what, program, first] of cases) {
    it(`is reported for ${what}`, () => assert.deepEqual(warnings(program), [first]));
  }

  it('is reported for unreachable statements', () => {
    const [message] = warnings('model { while (1) { break; print(1); } }');
    assert.match(message, /^Unreachable statement/);
  });

  it('is not reported for a program without problems', () => {
    assert.deepEqual(warnings('parameters { real x; } model { x ~ normal(0, 1); }'), []);
  });
});
