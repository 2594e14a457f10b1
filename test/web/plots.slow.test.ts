/** Plots of the page: tooltips, and many draws. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { benchForAll, browserForAll, ranSchools, Workbench } from './workbench.js';

describe('plots', { skip: withoutChromium }, () => {
  const bench = benchForAll(async (bench) => {
    await bench.write('parameters { real a; real b; } model { a ~ std_normal(); b ~ std_normal(); }');
    await bench.page.getByText('Ready to run').waitFor();
    await bench.page.getByLabel('samples', { exact: true }).fill('6000');
    await bench.run();
    await bench.page.getByRole('heading', { name: /^These draws can/ }).waitFor();
    await bench.tab('Plots');
    await bench.page.getByRole('button', { name: 'pairs' }).click();
    await bench.page.getByRole('img', { name: /Draws of b against a/ }).waitFor();
  });

  const figure = (title: string) => bench().page.locator('figure').filter({ hasText: title });

  it('draw more than twenty thousand dots on a canvas, in colors of the theme', async () => {
    const colors = await bench().page.evaluate(`(() => {
      const canvas = document.querySelector('canvas.dots');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set();
      for (let k = 0; k < data.length; k += 4) if (data[k + 3] > 200) seen.add(data[k] + ' ' + data[k + 1] + ' ' + data[k + 2]);
      return seen.size;
    })()`);
    assert.ok(typeof colors === 'number' && colors > 3, 'the dots of four chains are drawn');
    assert.equal(await figure('b against a').locator('circle').count(), 0);
  });

  it('mark the draw under the pointer in every plot of the run', async () => {
    await figure('b against a')
      .locator('.plot')
      .hover({ position: { x: 170, y: 130 } });
    await figure('b against a')
      .locator('.spot-text', { hasText: /^chain \d, draw \d+/ })
      .waitFor();
    await figure('Trace of a').locator('.spot.linked').waitFor();
    await figure('Trace of b').locator('.spot.linked').waitFor();
    await bench().page.mouse.move(5, 5);
    await figure('Trace of a').locator('.spot.linked').waitFor({ state: 'detached' });
  });

  it('show pairs as one matrix, and enlarge each plot', async () => {
    const { page } = bench();
    await page.getByRole('button', { name: 'matrix', exact: true }).click();
    await page.getByRole('img', { name: /Densities of a, b, .* Correlations: a, b: [−0]/ }).waitFor();
    await page.getByRole('button', { name: 'Save Matrix of pairs' }).click();
    await page.getByRole('menuitem', { name: 'Enlarge' }).click();
    const window = page.getByRole('dialog', { name: 'Matrix of pairs' });
    await window.getByRole('img', { name: /Densities of a, b/ }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await window.getByRole('button', { name: 'Save Matrix of pairs' }).click();
    await page.getByRole('menuitem', { name: 'Show its numbers' }).click();
    await window
      .getByRole('cell', { name: /^−?0\.0/ })
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await window.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'matrix', exact: true }).click();
  });

  it('select the draws that are dragged over in all plots, until Esc', async () => {
    const { page } = bench();
    await figure('Density of a').scrollIntoViewIfNeeded();
    const box = await figure('Density of a').locator('.plot').boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + 4, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 70, { steps: 4 });
    await page.mouse.up();
    const bar = page.getByRole('region', { name: 'Selected draws' });
    const selected = async () =>
      Number(/^([\d,]+) of 24,000/.exec((await bar.getByRole('status').textContent()) ?? '')?.[1]?.replace(',', ''));
    const half = await selected();
    assert.ok(half > 4000 && half < 20_000, `${half} draws lie left of the middle`);
    for (const title of ['Trace of b', 'b against a'])
      await figure(title).locator('.picked').waitFor({ state: 'attached' });
    await bar.getByLabel('a to').fill('0');
    await bar.getByLabel('a from').fill('-99');
    const negative = await selected();
    assert.ok(negative > 11_000 && negative < 13_000, `${negative} draws of a standard normal are negative`);
    await page.getByLabel('Select draws by').selectOption('draw');
    await bar.getByLabel('draw to').fill('60');
    const first = await selected();
    assert.ok(first > 60 && first < 180, `${first} of the first 60 draws of each chain are negative`);
    const drawn = await figure('Trace of b').locator('.picked path[stroke-linecap="round"]').all();
    const dots = await Promise.all(
      drawn.map(async (path) => ((await path.getAttribute('d')) ?? '').split('M').length - 1),
    );
    assert.equal(
      dots.reduce((sum, count) => sum + count, 0),
      first,
    );
    assert.deepEqual(await axeFindings(page), []);
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
    assert.equal(await page.locator('.picked').count(), 0);
  });

  it('are saved as SVG, PNG and CSV', async () => {
    const { page } = bench();
    const save = async (item: string) => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save Trace of a' }).click();
      await page.getByRole('menuitem', { name: item }).click();
      return readFile(await (await saved).path());
    };
    const svg = (await save('Save as SVG')).toString();
    assert.match(svg, /^<svg .*<title>Trace of a<\/title>.*>Trace of a<\/text>.*<\/svg>\s*$/s);
    for (const chain of [1, 2, 3, 4]) assert.ok(svg.includes(`>chain ${chain}</text>`), 'it has a legend');
    assert.match(svg, /@font-face\{font-family:"Inter Variable";[^}]*url\("data:font\/woff2;base64,/);
    for (const [medium, width] of [
      ['the screen', undefined],
      ['a slide', 1920],
      ['print', 1004],
    ] as const) {
      const png = await save(`Save as PNG for ${medium}`);
      assert.deepEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
      if (width === undefined) assert.ok(png.readUInt32BE(16) > 400, 'it is as wide as the plot');
      else assert.equal(png.readUInt32BE(16), width);
      assert.equal(png.includes('pHYs'), medium === 'print', 'a resolution determines the size in print');
    }
    const lines = (await save('Save its numbers as CSV')).toString().trim().split('\n');
    assert.equal(lines[0], 'draw,chain 1,chain 2,chain 3,chain 4');
    assert.equal(lines.length, 6001);
  });

  it('exist in all types', async () => {
    const { page } = bench();
    for (const kind of [
      'distribution',
      'rank',
      'intervals',
      'ridgelines',
      'parallel coordinates',
      'autocorrelation',
      'sample size',
      'local sample size',
      'sampler',
    ]) {
      await page.getByRole('button', { name: kind, exact: true }).click();
    }
    for (const title of [
      /^Distribution of a/,
      /^Ranks of a/,
      /^Intervals/,
      /^Ridgelines/,
      /^Parallel coordinates/,
      /^Autocorrelation of a/,
      /^Effective sample size of a/,
      /^Local sample size of a/,
      /^Energy/,
      /^Tree depth/,
      /^Step size/,
    ]) {
      await page.getByRole('img', { name: title }).first().waitFor();
    }
  });

  it('describe what they show, and list their numbers as a table', async () => {
    const { page } = bench();
    for (const figure of await page.locator('.plots figure').all()) {
      const title = await figure.locator('figcaption > span').textContent();
      const said = (await figure.getByRole('img').getAttribute('aria-label')) ?? '';
      assert.ok(said.startsWith(`${title}. `), `${title}: ${said}`);
      assert.match(said, /\d.*\.$/, 'with numbers, in a sentence');
      const before = await figure.boundingBox();
      await figure.getByRole('button', { name: `Save ${title}` }).click();
      await page.getByRole('menuitem', { name: 'Show its numbers' }).click();
      const table = figure.getByRole('region', { name: `Numbers of: ${title}` });
      await table.getByRole('cell').first().waitFor();
      assert.equal(await figure.getByRole('img').count(), 0);
      assert.equal((await figure.boundingBox())?.height, before?.height, 'what follows does not jump');
    }
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'Save Trace of a' }).click();
    await page.getByRole('menuitem', { name: 'Show the plot' }).click();
    await page.getByRole('img', { name: /^Trace of a\. / }).waitFor();
  });

  it('list the names that they omit, and draw nothing for an unknown name', async () => {
    const { page } = bench();
    const chosen = page.getByLabel('Quantities to plot');
    await chosen.fill('gamma');
    await page.getByText('No quantity is called gamma.').waitFor();
    assert.equal(await page.getByRole('img', { name: /^(?:Trace|Density|Draws|Intervals)/ }).count(), 0);
    await chosen.fill('a');
    await page.getByText('Pairs require at least two quantities.').waitFor();
    await page.getByText('Parallel coordinates require at least two').waitFor();
    await chosen.fill('');
    await page.getByText('Pairs require at least two quantities.').waitFor({ state: 'detached' });
    await bench().write('parameters { vector[10] z; } model { z ~ std_normal(); }');
    await bench().run();
    await page.getByRole('button', { name: /^Run 2/ }).waitFor();
    await bench().tab('Plots');
    await chosen.fill('z');
    await page.getByText('Quantities 1 to 8 of 10 have plots one by one.').waitFor();
    await page.getByText('Pairs show the first 4 of 8 quantities.').waitFor();
    await page.getByRole('img', { name: /^z\[4\] against z\[3\]/ }).waitFor();
    assert.equal(await page.getByRole('img', { name: /^z\[\d\] against/ }).count(), 6);
    await page.getByRole('button', { name: 'Show pairs of all 8' }).click();
    await page.getByRole('img', { name: /^z\[8\] against z\[7\]/ }).waitFor();
    assert.equal(await page.getByRole('img', { name: /^z\[\d\] against/ }).count(), 28);
    await page.getByRole('button', { name: 'Show pairs of the first 4' }).click();
    await page.getByRole('img', { name: /^Ridgelines\. Densities of 10 quantities,/ }).waitFor();
    await page.getByRole('img', { name: /^Parallel coordinates\. .* across 10 quantities/ }).waitFor();
    await page.getByRole('button', { name: 'Show 2 more' }).click();
    await page.getByRole('img', { name: /^Trace of z\[10\]/ }).waitFor();
    assert.equal(await page.getByRole('img', { name: /^Trace of/ }).count(), 2);
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'Show the previous ones' }).click();
    await page.getByRole('img', { name: /^Trace of z\[1\]\./ }).waitFor();
    assert.deepEqual(bench().complaints, []);
  });
});

describe('plots without a list of quantities', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  it('show whole vectors together, and the first quantities one by one', async () => {
    const bench = await ranSchools(opened.browser, opened.server.address);
    const { page } = bench;
    await bench.tab('Plots');
    await page.getByRole('img', { name: /^Trace of eta\[1\]/ }).waitFor();
    await page.getByText('Quantities 1 to 3 of 18 have plots one by one.').waitFor();
    for (const kind of ['intervals', 'ridgelines']) await page.getByRole('button', { name: kind, exact: true }).click();
    await page.getByRole('img', { name: /^Ridgelines\. Densities of 18 quantities,/ }).waitFor();
    await page.locator('figure', { hasText: 'Intervals' }).getByText('theta[8]', { exact: true }).waitFor();
    assert.equal(await page.getByRole('img', { name: /^Trace of/ }).count(), 3);
    await bench.close();
  });

  it('begin with the quantity that mixes worst, on request', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await bench.write(
      'parameters { real a; real b; real v; vector[5] x; } model { a ~ std_normal(); b ~ std_normal(); v ~ normal(0, 3); x ~ normal(0, exp(v / 2)); }',
    );
    await page.getByText('Ready to run').waitFor();
    await page.getByLabel('seed').fill('1');
    await bench.run();
    await page.getByRole('heading', { name: /^These draws/ }).waitFor();
    await bench.tab('Plots');
    await page.getByRole('img', { name: /^Trace of a\./ }).waitFor();
    await page.getByLabel('Order of the plots').selectOption('worst first');
    await page.getByRole('img', { name: /^Trace of v\./ }).waitFor();
    assert.match(
      (await page
        .getByRole('img', { name: /^Trace of/ })
        .first()
        .getAttribute('aria-label')) ?? '',
      /of v\./,
    );
    assert.deepEqual(await axeFindings(page), []);
    await bench.close();
  });

  it('name the slots of tuples as the summary does, by which they are chosen', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await bench.write(
      'parameters { tuple(real, vector[2]) tt; } model { tt.1 ~ std_normal(); tt.2 ~ std_normal(); } generated quantities { array[1] tuple(real, real) gg = {(tt.1, 2 * tt.1)}; }',
    );
    await page.getByText('Ready to run').waitFor();
    await bench.run();
    await bench.reliable();
    const forest = page.getByRole('table', { name: 'Key quantities' });
    await forest.waitFor();
    assert.deepEqual(await forest.getByRole('rowheader').allTextContents(), [
      'tt.1',
      'gg[1].1',
      'gg[1].2',
      '▸tt.22elements',
    ]);
    await bench.summary();
    assert.deepEqual(await page.locator('.numbers tbody th').allTextContents(), [
      ...['lp__', 'tt.1', 'tt.2[1]', 'tt.2[2]', 'gg[1].1', 'gg[1].2'],
    ]);
    await bench.tab('Verdict');
    await forest.getByRole('button', { name: 'gg[1].2' }).click();
    await page.getByRole('img', { name: /^Trace of gg\[1\]\.2\./ }).waitFor();
    await page.getByLabel('Quantities to plot').fill('tt.2[*]');
    await page.getByRole('img', { name: /^Trace of tt\.2\[2\]\./ }).waitFor();
    assert.equal(await page.getByRole('img', { name: /^Trace of/ }).count(), 2);
    await page.getByLabel('Quantities to plot').fill('tt.3');
    await page.getByText('No quantity is called tt.3.').waitFor();
    await bench.close();
  });
});

describe('motion', { skip: withoutChromium }, () => {
  /** The number of elements with animations, in the page and in its editors. */
  const MOVING = `(() => {
    const all = (root) => [...root.querySelectorAll('*')].flatMap((e) => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
    return all(document).filter((element) => {
      const { animationDuration, transitionDuration, scrollBehavior } = getComputedStyle(element);
      const times = [...animationDuration.split(', '), ...transitionDuration.split(', ')];
      return times.some((time) => parseFloat(time) > 0) || scrollBehavior === 'smooth';
    }).length;
  })()`;

  const opened = browserForAll();
  for (const reducedMotion of ['reduce', 'no-preference'] as const) {
    it(`is ${reducedMotion === 'reduce' ? 'none' : 'there'} where the system asks for ${reducedMotion}`, async () => {
      const bench = await Workbench.open(opened.browser, opened.server.address, { reducedMotion });
      await bench.openExample(/^A coin/);
      await bench.page.getByText('Ready to run').waitFor();
      await bench.run();
      await bench.page.getByRole('heading', { name: 'These draws can be relied on' }).waitFor();
      await bench.page.locator('.write [contenteditable]').click();
      await bench.tab('Plots');
      await bench.page.getByRole('img', { name: /^Trace of/ }).waitFor();
      await bench.page.getByRole('button', { name: 'Share', exact: true }).click();
      await bench.page.getByRole('menuitem').first().waitFor();
      const moving = await bench.page.evaluate(MOVING);
      assert.ok(typeof moving === 'number');
      await bench.close();
      if (reducedMotion === 'reduce') assert.equal(moving, 0);
      else assert.ok(moving > 0);
    });
  }
});
