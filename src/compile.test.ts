import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CompileOptions, type CompileResult, compile, isCompiled } from './compile.js';
import { loadKernels } from './node/kernels.js';
import { FunctionTooLarge } from './wasm/code.js';

const { library } = loadKernels();

/** The size of a program's module, or the reason why it cannot be compiled. */
function moduleOf(program: string, options: CompileOptions = {}): number | string {
  const result = compile(program, library, options);
  return isCompiled(result) ? result.wasm.length : result.diagnostics[0].message;
}

/** A function that calls itself with each of its arguments replaced by a constant. */
function withOneReplaced(count: number, type: string, constant: string, last: string): string {
  const names = Array.from({ length: count }, (_, k) => `a${k}`);
  const calls = names.map((name, k) => {
    const args = names.map((other) => (other === name ? constant : other));
    return `    if (n == ${k}) return f(n - 1, ${args.join(', ')});`;
  });
  return `functions {
  real f(int n, ${names.map((name) => `${type} ${name}`).join(', ')}) {
${calls.join('\n')}
    return ${names.map((name) => last.replace('a', name)).join(' + ')};
  }
}
data { int n; }
parameters { ${names.map((name) => `${type}${type === 'vector' ? '[2]' : ''} p${name};`).join(' ')} }
model { target += f(n, ${names.map((name) => `p${name}`).join(', ')}); }`;
}

describe('the size of a module', () => {
  it('does not double with each scalar that may be a constant in a recursion', () => {
    const [five, eleven] = [5, 11].map((count) => moduleOf(withOneReplaced(count, 'real', '1.0', 'sin(a)')));
    assert.ok(typeof five === 'number' && typeof eleven === 'number', `${five} ${eleven}`);
    assert.ok(eleven < 5 * five, `${eleven} bytes, ${five} of less than half as many arguments`);
  });

  it('does not double with second derivatives', () => {
    const [five, eleven] = [5, 11].map((count) =>
      moduleOf(withOneReplaced(count, 'real', '1.0', 'sin(a)'), { secondDerivatives: true }),
    );
    assert.ok(typeof five === 'number' && typeof eleven === 'number', `${five} ${eleven}`);
    assert.ok(eleven < 8 * five, `${eleven} bytes, ${five} of less than half as many arguments`);
  });

  it('grows with the solvers of a program, not with their calls', () => {
    const program = (calls: number): string => `functions { vector slope(real t, vector y, real a) { return -a * y; } }
      parameters { real<lower=0> a; } transformed parameters {
      ${Array.from({ length: calls }, (_, k) => `vector[2] y${k} = ${k % 2 === 0 ? `ode_bdf(slope, [1, ${k}]', 0, {1.0}, a)` : `ode_bdf_tol(slope, [1, ${k}]', 0, {1.0}, 1e-6, 1e-6, 1000, a)`}[1];`).join('\n')}
      }`;
    const [one, two, nine] = [1, 2, 9].map((calls) => moduleOf(program(calls)));
    assert.ok(typeof one === 'number' && typeof two === 'number' && typeof nine === 'number', `${one} ${two} ${nine}`);
    assert.ok(two < 1.1 * one, `${two} bytes of two calls, ${one} of one`);
    assert.ok(nine < 1.3 * one, `${nine} bytes of nine calls, ${one} of one`);
  });

  it('is limited for containers that may be constants', () => {
    const found = moduleOf(withOneReplaced(11, 'vector', 'rep_vector(1, 2)', 'sum(a)'));
    const why = 'f is called with too many combinations of data and parameter arguments';
    assert.equal(found, `The program is too large: ${why}.`);
  });
});

describe('a module that is too large with the options of a run', () => {
  const program = 'parameters { real mu; vector[3] x; } model { mu ~ std_normal(); x ~ normal(mu, 1); }';

  /** Compiles with a limit that the first `failures` modules exceed. */
  function compileAfter(failures: number, options: CompileOptions) {
    let left = failures;
    const observe: CompileOptions['observe'] = ({ name }) => {
      if (name === 'differentiate' && left-- > 0) throw new FunctionTooLarge('the log density is too large');
    };
    return compile(program, library, { ...options, observe });
  }

  const compiled = (found: CompileResult) => (isCompiled(found) ? found : assert.fail(found.text));

  for (const option of ['secondDerivatives', 'reparameterizes', 'integrates', 'slices'] as const) {
    it(`is compiled without ${option}`, () => {
      const plain = compiled(compile(program, library));
      const { artifact, wasm } = compiled(compileAfter(1, { [option]: true }));
      assert.deepEqual(wasm, plain.wasm);
      assert.equal(artifact.centering, undefined);
      assert.equal(artifact.integration, undefined);
      assert.ok(!isCompiled(compileAfter(2, { [option]: true })));
    });
  }

  it('loses its second derivatives first', () => {
    const options = { secondDerivatives: true, reparameterizes: true };
    const one = compiled(compileAfter(1, options));
    assert.deepEqual(one.wasm, compiled(compile(program, library, { reparameterizes: true })).wasm);
    const two = compiled(compileAfter(2, options));
    assert.deepEqual(two.wasm, compiled(compile(program, library)).wasm);
    const hessian = { kind: 'differences', reason: 'the module would be too large' };
    assert.deepEqual([one.artifact.hessian, two.artifact.hessian], [hessian, hessian]);
  });

  it('has the measured steps that were requested', () => assert.ok(!isCompiled(compileAfter(1, { profiles: true }))));
});

it('an invalid program is read once, regardless of the options of a run', () => {
  for (const options of [{}, { secondDerivatives: true }, { integratesEffects: true, reparameterizes: true }]) {
    let reads = 0;
    const includes = new (class extends Map<string, string> {
      override get(name: string): string | undefined {
        reads++;
        return super.get(name);
      }
    })([['b', 'parameters { real b; }']]);
    const found = compile('#include b\nmodel { b ~ normal(0, c); }', library, { ...options, includes });
    assert.ok(!isCompiled(found) && found.diagnostics[0].kind === 'semantic');
    assert.equal(reads, 1);
  }
});

describe('a recursion that adds to target', () => {
  it('reports a call with too many combinations of data arguments, and the remedy', () => {
    const names = Array.from({ length: 10 }, (_, k) => `a${k}`);
    const calls = names.map((one) => `f_lp(n - 1, ${names.map((name) => (name === one ? '1.0' : name)).join(', ')});`);
    const found = compile(
      `functions {
  void f_lp(int n, ${names.map((name) => `real ${name}`).join(', ')}) {
    if (n > 0) { target += a0; ${calls.join(' ')} }
  }
}
parameters { real x; }
model { f_lp(2, ${names.map(() => 'x').join(', ')}); }`,
      library,
    );
    assert.ok(!isCompiled(found));
    const [{ kind, span, message }] = found.diagnostics;
    assert.deepEqual([kind, span.begin.line], ['unsupported', 3]);
    assert.match(message, /^f_lp is called with more than 256 combinations .* Pass parameters as the same arguments/);
  });
});

describe('a chain of 2,000 functions that call each other', () => {
  for (const [what, first, next] of [
    ['return a number', 'real f0_lp(real x) { return sin(x); }', 'real fK_lp(real x) { return cos(fJ_lp(x)); }'],
    ['add to target', 'void f0_lp(real x) { target += sin(x); }', 'void fK_lp(real x) { fJ_lp(0.9 * x); }'],
  ]) {
    it(`is compiled: ${what}`, () => {
      const others = Array.from({ length: 1999 }, (_, k) => next.replace('K', `${k + 1}`).replace('J', `${k}`));
      const call = first.startsWith('void') ? 'f1999_lp(x);' : 'target += f1999_lp(x);';
      const program = `functions {\n${[first, ...others].join('\n')}\n}\nparameters { real x; }\nmodel { ${call} }`;
      assert.equal(typeof moduleOf(program), 'number');
    });
  }
});
