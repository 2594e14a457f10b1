/** Scripts in the page: output, pictures, data, errors, and restrictions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, ranSchools, Workbench } from './workbench.js';

describe('a script', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  const run = async (bench: Workbench, script: string) => {
    await bench.tab('script.js');
    await bench.write(script);
    await bench.page.getByRole('button', { name: 'Run the script' }).click();
    await bench.page.getByRole('button', { name: 'Run the script' }).waitFor();
  };
  const output = (bench: Workbench) => bench.page.getByLabel('Output of the script');

  it('reads the draws of the run, and prints texts, tables and plots', async () => {
    const bench = await ranSchools(opened.browser, opened.server.address);
    const { page } = bench;
    await run(
      bench,
      [
        'print("draws", draws.mu.length, chain.length, Math.max(...chain), data.J);',
        'const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;',
        'table([{ name: "theta[8]", mean: mean(draws["theta[8]"]) }]);',
        'show(Plot.plot({ title: "Draws of mu", marks: [Plot.rectY(draws.mu, Plot.binX({ y: "count" }, { x: draws.mu, tip: true }))] }));',
      ].join('\n'),
    );
    await output(bench).getByText('draws 4000 4000 4 8').waitFor();
    const picture = output(bench).getByRole('img', { name: 'Draws of mu' });
    await picture.waitFor();
    assert.ok(Number(await picture.evaluate((image) => Reflect.get(image, 'naturalHeight'))) > 300);
    const shown = Number(await output(bench).getByRole('cell').last().textContent());
    assert.deepEqual(await axeFindings(page), []);
    const text = await bench.summary();
    assert.ok(text?.includes(`theta[8]${Number(shown.toPrecision(3))}`), `${shown} in ${text}`);
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('simulates data, and is kept with the project and its link', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = bench;
    await bench.write('data { int N; vector[N] y; } parameters { real mu; } model { y ~ normal(mu, 1); }');
    await run(bench, 'return { N: 3, y: Float64Array.of(1.5, 2, 4) };');
    await page.getByRole('button', { name: 'Use as data' }).click();
    const data = (await page.locator('.write .cm-line').allTextContents()).join('');
    assert.deepEqual(JSON.parse(data), { N: 3, y: [1.5, 2, 4] });
    await page.getByText('Ready to run').waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('menuitem', { name: /^Copy a link/ }).click();
    await page.getByText('The link is in the clipboard').waitFor();
    const link = await page.evaluate('navigator.clipboard.readText()');
    assert.ok(typeof link === 'string');
    await page.getByText('saved', { exact: true }).waitFor();
    await page.reload();
    await bench.tab('script.js');
    await page.getByText('return { N: 3').waitFor();
    await bench.close();
    const other = await Workbench.open(opened.browser, link);
    await other.tab('script.js');
    await other.page.getByText('return { N: 3').waitFor();
    assert.equal(await output(other).count(), 0, 'it does not run by itself');
    await other.close();
  });

  it('fails with the line of the error, and can be stopped', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await run(bench, 'const a = 1;\nprint(a);\nnothing.here();');
    await output(bench).getByText('Line 3: ReferenceError: nothing is not defined').waitFor();
    await run(bench, 'const a = 1;\nconst b = = 2;');
    await output(bench)
      .getByText(/^Line 2: SyntaxError/)
      .waitFor();
    await bench.write('while (true) {}');
    await page.getByRole('button', { name: 'Run the script' }).click();
    await page.getByRole('button', { name: 'Stop the script' }).click();
    await output(bench).getByText('The script was stopped.').waitFor();
    await bench.close();
  });

  it('cannot access the network, storage or the page', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    const requests: string[] = [];
    await run(bench, 'print(1)');
    await output(bench).getByText('1', { exact: true }).waitFor();
    page.on('request', (request) => requests.push(request.url()));
    const names = [
      'fetch',
      'XMLHttpRequest',
      'WebSocket',
      'EventSource',
      'importScripts',
      'indexedDB',
      'caches',
      'navigator',
    ];
    await run(
      bench,
      `print(${JSON.stringify(names)}.filter((name) => globalThis[name] !== undefined).length, typeof Worker, typeof eval, typeof postMessage);\n` +
        'print(typeof (() => 0).constructor, typeof (async () => 0).constructor);\n' +
        'const picture = Plot.plot({ marks: [Plot.frame()] });\n' +
        'picture.setAttribute("onload", "fetch(\\"/stolen\\")"); show(picture); show(Plot.ruleY([0]).plot());',
    );
    await output(bench).getByText('0 undefined undefined undefined').waitFor();
    await output(bench).getByText('undefined undefined', { exact: true }).waitFor();
    await output(bench).getByRole('img').nth(1).waitFor();
    await run(bench, `const found = await import("${opened.server.address}/v1/models");`);
    await output(bench).getByText('Scripts cannot import anything').waitFor();
    assert.deepEqual(
      requests.filter((url) => !/^blob:|\/assets\//.test(url)),
      [],
    );
    await bench.close();
  });
});
