import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileIr } from '../../test/support/compile-ir.js';
import * as x from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';

const WHOLE = { propto: false, jacobian: true };

test('expressions of scalars: kernels, shared nodes, ints and reals', () => {
  const model = compileIr(({ builder: b, position }) => ({
    logDensity: b.capture(() => {
      const p = x.load(position, x.int(0));
      const q = x.load(position, x.int(1));
      const shared = x.exp(x.sub(p, q));
      b.target(x.add(x.square(shared), x.mul(shared, x.toReal(x.apply('div_int', 'int', x.int(7), x.int(2))))));
      b.target(x.apply('lgamma', 'real', x.abs(p)));
      b.target(x.real(100), 'constant');
      b.target(x.real(1000), 'jacobian');
      b.target(x.toReal(x.abs(x.apply('to_int', 'int', q))));
    }),
  }));
  const e = Math.exp(3);
  const expected = e * e + 3 * e + 0 + 2;
  const at = Float64Array.of(1, -2);
  const close = (a: number, b2: number): void => assert.ok(Math.abs(a - b2) < 1e-12 * Math.abs(b2), `${a} ${b2}`);
  close(model.logDensity(at, { propto: true, jacobian: false }), expected);
  close(model.logDensity(at, { propto: false, jacobian: false }), expected + 100);
  close(model.logDensity(at, WHOLE), expected + 1100);
});

test('data are bound by name, in column-major order; loops and globals', () => {
  const model = compileIr(
    ({ builder: b, position }) => {
      const n = b.newLocal('int', 'N', 'global');
      const m = b.newRef('real', 2, 'M', 'global');
      const k = b.newRef('int', 1, 'k', 'global');
      const total = b.newRef('real', 1, 'total', 'global');
      return {
        data: [
          { name: 'N', variable: n, arrayDepth: 0, element: 'int' },
          { name: 'M', variable: m, arrayDepth: 0, element: 'matrix' },
          { name: 'k', variable: k, arrayDepth: 1, element: 'int' },
        ],
        prepare: b.capture(() => {
          b.check(x.compare('eq', x.size(m, 0), x.get(n)), 'rows {0}', [x.size(m, 0)], 'error');
          b.emit({ kind: 'allocate', ref: total, sizes: [x.size(m, 1)], fill: 'zero' });
          b.each(x.size(m, 1), (j) => {
            b.each(x.size(m, 0), (i) => {
              const at = x.add(x.mul(j, x.size(m, 0)), i);
              b.store(total, j, x.add(x.load(total, j), x.mul(x.load(m, at), x.toReal(x.load(k, i)))));
            });
          });
        }),
        logDensity: b.capture(() => {
          b.target(b.sum(x.size(total, 0), (j) => x.mul(x.load(total, j), x.load(position, x.int(0)))));
        }),
      };
    },
    {
      data: {
        N: 2,
        M: [
          [1, 2, 3],
          [4, 5, 6],
        ],
        k: [1, 10],
      },
    },
  );
  assert.equal(model.logDensity(Float64Array.of(2, 0), WHOLE), 2 * (41 + 52 + 63));
});

test('a gradient: adjoints, tape, growing arena', () => {
  const model = compileIr(({ builder: b, position }) => ({
    gradient: b.capture(() => {
      const count = 100000;
      const v = b.allocate('real', [x.int(count)], 'v');
      const first = x.load(position, x.int(0));
      b.each(x.int(count), (i) => {
        b.store(v, i, x.mul(first, x.toReal(i)));
        b.emit({ kind: 'push', value: x.load(v, i) });
      });
      const out = b.newLocal('real', 'out');
      b.emit({
        kind: 'for_reverse',
        index: b.newLocal('int', 'j'),
        from: x.int(0),
        to: x.int(count),
        body: b.capture(() => {
          b.emit({ kind: 'pop', local: out });
          b.target(x.get(out));
        }),
      });
      b.each(x.int(count), (i) => b.emit({ kind: 'add_adjoint', ref: v, index: i, value: x.toReal(i) }));
      b.each(x.int(count), (i) =>
        b.emit({
          kind: 'add_adjoint',
          ref: position,
          index: x.int(0),
          value: { kind: 'load_adjoint', type: 'real', ref: v, index: i },
        }),
      );
    }),
  }));
  const gradient = new Float64Array(2);
  for (let iteration = 0; iteration < 3; iteration++) {
    const sum = (100000 * 99999) / 2;
    assert.equal(model.logDensityGradient(Float64Array.of(2, 0), gradient, WHOLE), 2 * sum);
    assert.deepEqual([...gradient], [sum, 0]);
  }
});

test('containers of constant sizes: in each iteration their own memory, with adjoints that are 0', () => {
  const model = compileIr(({ builder: b, position }) => ({
    gradient: b.capture(() => {
      const count = 5000;
      const sizes = [3, 8, 1, 40];
      b.each(x.int(count), (i) => {
        const refs = sizes.map((size, k) => b.allocate(k === 1 ? 'int' : 'real', [x.int(size)], 'v', 'zero'));
        for (const [k, ref] of refs.entries()) {
          if (ref.element === 'int') continue;
          b.store(ref, x.int(sizes[k] - 1), x.load(position, x.int(0)));
          b.target(b.sum(x.int(sizes[k]), (j) => x.mul(x.load(ref, j), x.toReal(i))));
          const last = x.int(sizes[k] - 1);
          b.emit({ kind: 'add_adjoint', ref, index: last, value: x.toReal(i) });
          const value: Expr = { kind: 'load_adjoint', type: 'real', ref, index: last };
          b.emit({ kind: 'add_adjoint', ref: position, index: x.int(0), value });
        }
      });
    }),
  }));
  const gradient = new Float64Array(2);
  for (let iteration = 0; iteration < 2; iteration++) {
    const sum = (3 * 5000 * 4999) / 2;
    assert.equal(model.logDensityGradient(Float64Array.of(2, 0), gradient, WHOLE), 2 * sum);
    assert.deepEqual([...gradient], [sum, 0]);
  }
});

test("failed checks, reject and print produce Stan's texts", () => {
  const printed: string[] = [];
  const model = compileIr(
    ({ builder: b, position }) => ({
      logDensity: b.capture(() => {
        const p = x.load(position, x.int(0));
        b.check(x.isPositive(p), 'f: Scale[{1}] is {0}, but must be > {2:f}', [p, x.int(3), x.real(0.5)]);
        const m = b.allocate('real', [x.int(2), x.int(2)], 'm');
        for (let k = 0; k < 4; k++) b.store(m, x.int(k), x.real(k + 0.5));
        b.emit({
          kind: 'print',
          parts: [
            { kind: 'text', text: 'm = ' },
            { kind: 'container', ref: m, element: 'matrix' },
            { kind: 'scalar', value: p },
          ],
        });
        b.if(x.compare('gt', p, x.real(10)), () =>
          b.emit({ kind: 'reject', parts: [{ kind: 'text', text: 'too large' }], fatal: false, span: null }),
        );
      }),
    }),
    { print: (text) => printed.push(text) },
  );
  assert.throws(() => model.logDensity(Float64Array.of(-1.5, 0), WHOLE), {
    name: 'Rejection',
    message: 'Exception: f: Scale[3] is -1.5, but must be > 0.500000',
  });
  model.logDensity(Float64Array.of(1e-7, 0), WHOLE);
  assert.deepEqual(printed, ['m = [[0.5,2.5],[1.5,3.5]]1e-07\n']);
  assert.throws(() => model.logDensity(Float64Array.of(11, 0), WHOLE), { message: 'Exception: too large' });
});

test('functions: recursion, several results, labels', () => {
  const model = compileIr(({ builder: b, position }) => {
    const n = b.newLocal('int', 'n');
    const v = b.newRef('real', 1, 'v');
    const r = b.newLocal('real', 'r');
    const w = b.newRef('real', 1, 'w');
    const inner = b.newLocal('real', 'inner');
    const innerRef = b.newRef('real', 1, 'innerRef');
    const body = b.capture(() => {
      b.if(x.compare('le', x.get(n), x.int(0)), () => {
        b.assign(r, x.load(v, x.int(0)));
        b.emit({ kind: 'allocate', ref: w, sizes: [x.int(1)], fill: 'zero' });
        b.exit(0);
      });
      b.emit({ kind: 'call', callee: 7, args: [x.sub(x.get(n), x.int(1)), v], results: [inner, innerRef] });
      b.assign(r, x.add(x.get(inner), x.toReal(x.get(n))));
      b.emit({ kind: 'allocate', ref: w, sizes: [x.add(x.size(innerRef, 0), x.int(1))], fill: 'zero' });
    });
    const result = b.newLocal('real', 'result');
    const vector = b.newRef('real', 1, 'vector');
    return {
      functions: [
        {
          id: 7,
          name: 'f',
          parameters: [n, v],
          results: [r, w],
          body,
        },
      ],
      logDensity: b.capture(() => {
        b.emit({ kind: 'call', callee: 7, args: [x.int(10), position], results: [result, vector] });
        b.target(x.add(x.get(result), x.toReal(x.size(vector, 0))));
      }),
    };
  });
  // 0.5 + 1 + … + 10, and a vector of 11 elements.
  assert.equal(model.logDensity(Float64Array.of(0.5, 0), WHOLE), 0.5 + 55 + 11);
});

test('outputs: names and order, first index fastest; unconstrain', () => {
  const model = compileIr(({ builder: b, position, constrained }) => ({
    outputs: [
      {
        name: 'x',
        block: 'parameters',
        arrayDepth: 1,
        element: 'vector',
        sizes: [x.int(2), x.int(3)],
        unconstrainedSizes: [x.int(2), x.int(3)],
      },
    ],
    generate: b.capture(() => b.each(x.int(6), (i) => b.store(constrained, i, x.load(position, i)))),
    unconstrain: b.capture(() => b.each(x.int(6), (i) => b.store(position, i, x.load(constrained, i)))),
  }));
  assert.deepEqual(model.constrainedNames(), ['x.1.1', 'x.2.1', 'x.1.2', 'x.2.2', 'x.1.3', 'x.2.3']);
  const out = new Float64Array(6);
  model.writeArray(Float64Array.of(1, 2, 3, 4, 5, 6), out);
  assert.deepEqual([...out], [1, 4, 2, 5, 3, 6]);
  assert.deepEqual(
    [
      ...model.unconstrain({
        x: [
          [1, 2, 3],
          [4, 5, 6],
        ],
      }),
    ],
    [1, 2, 3, 4, 5, 6],
  );
  assert.deepEqual([...model.unconstrain({}, Float64Array.of(1, 2, 3, 4, 5, 6))], [1, 2, 3, 4, 5, 6]);
  assert.throws(() => model.unconstrain({}), {
    message: /variable does not exist; .*variable name=x; base type=double/,
  });
});
