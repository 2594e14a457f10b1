import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compile, isCompiled } from '../compile.js';
import { parseStanData } from '../formats/stan-json.js';
import { loadKernels } from '../node/kernels.js';
import { instantiate, type Model } from './model.js';

const { library: kernels, linear: linearBytes } = loadKernels();
const linear = new WebAssembly.Module(linearBytes);

function modelOf(program: string, printed: string[]): Model {
  const result = compile(program, kernels);
  if (!isCompiled(result)) throw new Error(result.text);
  const options = { seed: 1, print: (text: string) => printed.push(text) };
  return instantiate(result.artifact, new WebAssembly.Module(result.wasm), linear, parseStanData('{}'), options);
}

const sizeOf = (printed: readonly string[]): number => printed.reduce((sum, { length }) => sum + length, 0);

/** Prints numbers of ten digits, 40 MB in all. */
const FLOOD = 'for (i in 1:40) for (j in 1:100000) print(1000000000 + j);';
const NOTE = 'Further printed text is omitted: a model prints at most 16 MiB.\n';
const PRINTED = { transformedParameters: false, generatedQuantities: true };
const FORM = { propto: true, jacobian: true };

describe('printed text is limited', () => {
  test('while data are bound', () => {
    const printed: string[] = [];
    const model = modelOf(`transformed data { ${FLOOD} }`, printed);
    assert.equal(printed[0], '1000000001\n');
    assert.equal(printed.at(-1), NOTE);
    assert.equal(printed.length - 1 + model.omittedPrints, 4_000_000);
    assert.ok(sizeOf(printed) <= 2 ** 24);
  });

  test('in gradients, and in all evaluations together', () => {
    const printed: string[] = [];
    const model = modelOf(`parameters { real x; } model { ${FLOOD} x ~ normal(0, 1); }`, printed);
    const evaluate = () => model.logDensityGradient(new Float64Array(1), new Float64Array(1), FORM);
    evaluate();
    const { length } = printed;
    assert.equal(printed.at(-1), NOTE);
    evaluate();
    assert.equal(printed.length, length);
    assert.equal(length - 1 + model.omittedPrints, 8_000_000);
  });

  test('in generated quantities', () => {
    const printed: string[] = [];
    const model = modelOf(`generated quantities { ${FLOOD} }`, printed);
    model.writeArray(new Float64Array(), new Float64Array(), PRINTED);
    assert.equal(printed.at(-1), NOTE);
    assert.ok(sizeOf(printed) <= 2 ** 24);
  });

  test('for one container', () => {
    const printed: string[] = [];
    modelOf(
      'transformed data { array[3] vector[1000000] x = rep_array(rep_vector(0.1, 1000000), 3); print("x = ", x, "."); }',
      printed,
    );
    assert.equal(printed.length, 1);
    assert.match(printed[0].slice(0, 12), /^x = \[\[0\.1,0/);
    assert.match(printed[0].slice(-90), /… \(the rest of this text is omitted: it is longer than 1024 KiB\)\n$/);
  });

  test('in the message of a rejection', () => {
    const model = modelOf('parameters { real x; } model { reject("x = ", rep_matrix(1.5, 3000, 3000), x); }', []);
    assert.throws(
      () => model.logDensity(new Float64Array(1), FORM),
      ({ message }: Error) =>
        message.length < 70_000 && /^Exception: x = \[\[1\.5,/.test(message) && /64 KiB\) \(in/.test(message),
    );
  });
});
