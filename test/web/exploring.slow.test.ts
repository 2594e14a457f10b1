/** Sliders for numbers of the data and the program. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { benchForAll } from './workbench.js';

const PROGRAM = `data {
  int<lower=0> tosses;
  int<lower=0> heads;
}
transformed data {
  while (heads == 7) {
  }
}
parameters {
  real<lower=0, upper=1> theta;
}
model {
  theta ~ beta(2, 2); // @slider 1 20
  heads ~ binomial(tosses, theta);
}
`;

/** Counts the chains that threads of the library start, and the instances of programs on the main thread, which export `precompute`. */
const COUNTING = `
  globalThis.chains = 0;
  globalThis.instances = 0;
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...others) {
    if (message?.kind === 'run') globalThis.chains++;
    return post.call(this, message, ...others);
  };
  const { Module } = WebAssembly;
  const count = ([given]) => {
    const names =
      given instanceof Module
        ? Module.exports(given).map(({ name }) => name).join()
        : new TextDecoder('latin1').decode(given);
    if (names.includes('precompute')) globalThis.instances++;
  };
  for (const name of ['instantiate', 'Instance']) {
    WebAssembly[name] = new Proxy(WebAssembly[name], {
      apply: (target, that, given) => (count(given), Reflect.apply(target, that, given)),
      construct: (target, given) => (count(given), Reflect.construct(target, given)),
    });
  }
`;

describe('sliders', { skip: withoutChromium }, () => {
  const bench = benchForAll(async (bench) => {
    await bench.write(PROGRAM);
    await bench.tab('data.json');
    await bench.write('{ "tosses": 10, "heads": 2 }');
    await bench.page.getByText('Ready to run').waitFor();
    await bench.page.getByLabel('seed').fill('1');
    await bench.run();
    await bench.reliable();
    await bench.page.evaluate(COUNTING);
    await bench.tab('What if');
  });

  const page = () => bench().page;
  const slider = (name: string | RegExp) => page().getByRole('slider', { name });
  /** Waits until the mean of theta is that of its posterior, a beta distribution. */
  const hasMean = async (a: number, b: number) => {
    const mean = page().getByRole('table', { name: 'Key quantities with these numbers' }).locator('tbody td').nth(1);
    // More than five standard errors.
    const isNear = async () => Math.abs(Number(await mean.textContent()) - a / (a + b)) < 0.04;
    await mean.waitFor();
    while (!(await isNear())) await page().waitForTimeout(20);
  };
  const count = (name: 'chains' | 'instances') => page().evaluate<number>(`globalThis.${name}`);

  it('exist for constants in marked lines and for scalars of the data', async () => {
    assert.deepEqual(
      await page()
        .getByRole('slider')
        .evaluateAll((all) => all.map((each) => each.closest('.slider')?.querySelector('label')?.textContent)),
      ['Line 13, number 1theta ~ beta(2, 2);', 'Line 13, number 2theta ~ beta(2, 2);', 'tosses', 'heads'],
    );
    assert.equal(await slider(/number 1/).getAttribute('max'), '20');
    assert.deepEqual(await axeFindings(page()), []);
  });

  it('sample from the posterior for a number of the data, and for a constant of the prior', async () => {
    await slider('heads').fill('9');
    await hasMean(2 + 9, 2 + 1);
    await slider(/^Line 13, number 2/).fill('16');
    await hasMean(2 + 9, 16 + 1);
    await page()
      .getByRole('img', { name: /Density of theta in Run 1 and now/ })
      .waitFor();
    await page()
      .getByText(/^1,000 draws in \d+ ms/)
      .waitFor();
    assert.deepEqual(await axeFindings(page()), []);
  });

  it('run once more after any number of moves during a run, and only in threads of the library', async () => {
    const before = await count('chains');
    await page().evaluate(`(() => {
      const [, , , heads] = document.querySelectorAll('.slider [type=range]');
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
      for (const value of [1, 2, 3, 4, 5, 6, 8, 9, 10, 3]) {
        set.call(heads, value);
        heads.dispatchEvent(new Event('input', { bubbles: true }));
      }
    })()`);
    await hasMean(2 + 3, 16 + 7);
    assert.equal((await count('chains')) - before, 2 * 4, 'the first and the last position');
    assert.equal(await count('instances'), 0);
  });

  it('keep working if the program does not end for some numbers', async () => {
    await slider('heads').fill('7');
    await slider('heads').fill('5');
    await hasMean(2 + 5, 16 + 5);
  });

  it('state why there are no draws', async () => {
    await slider('tosses').fill('1');
    await page()
      .getByRole('status')
      .getByText(/heads|binomial|Initialization/i)
      .waitFor();
    await slider('tosses').fill('10');
    await hasMean(2 + 5, 16 + 5);
  });

  it('replace the numbers of the program and the data', async () => {
    await page().getByRole('button', { name: 'Use these numbers' }).click();
    await bench().tab('model.stan');
    await page().locator('.cm-line', { hasText: 'theta ~ beta(2, 16); // @slider 1 20' }).waitFor();
    await bench().tab('data.json');
    await page().locator('.cm-line', { hasText: '"heads": 5' }).waitFor();
    await page().getByRole('button', { name: 'Undo' }).click();
    await page().locator('.cm-line', { hasText: '"heads": 2' }).waitFor();
  });

  it('return to the numbers of the run', async () => {
    await page().getByRole('button', { name: 'Reset' }).click();
    assert.equal(await slider('heads').inputValue(), '2');
    assert.equal(
      await page()
        .getByRole('table', { name: /^Key quantities with/ })
        .count(),
      0,
    );
  });
});
