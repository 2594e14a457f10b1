import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { close, compile } from '../node/library/index.js';
import { failedStart } from './failed-start.js';

/** The summary of a run whose log is that of the real initialization. */
async function failureOf(program: string) {
  const model = await compile(program);
  const log: string[] = [];
  try {
    for await (const event of model.sample({ random_seed: 1, num_chains: 1, num_warmup: 5, num_samples: 5 }))
      if (event.kind === 'log') log.push(event.text);
  } catch {
    return failedStart(log);
  }
  return failedStart(log);
}

describe('a failed start', () => {
  after(() => close());

  it('is certain if an argument is constant', async () => {
    assert.deepEqual(await failureOf('parameters { real a; }\nmodel {\n  a ~ normal(0, -1);\n}\n'), {
      reason:
        "Exception: normal_lpdf: Scale parameter is -1, but must be positive! (in 'string', line 3, column 2 to column 20)",
      count: 100,
      isConstant: true,
      at: { file: 'string', line: 3, column: 2 },
    });
  });

  it('depends on initial values if the argument varies, or is not finite', async () => {
    const varying = await failureOf('parameters { real a; } model { 0 ~ normal(0, a - 5); }');
    assert.equal(varying?.isConstant, false);
    assert.equal(varying?.count, 1);
    const undefinedValue = await failureOf('parameters { real a; } model { log(a - 5) ~ normal(0, 1); }');
    assert.equal(undefinedValue?.isConstant, false);
  });

  it('may have no location', async () => {
    const failure = await failureOf('parameters { real a; } model { target += negative_infinity(); }');
    assert.equal(failure?.reason, 'Log probability evaluates to log(0), i.e. negative infinity.');
    assert.equal(failure?.at, undefined);
  });

  it('is not reported for a chain that found an initial value', async () => {
    assert.equal(await failureOf('parameters { real a; } model { if (a < 1) reject("small"); }'), undefined);
  });
});
