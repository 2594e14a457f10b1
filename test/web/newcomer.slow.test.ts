/** From the user's own table to a checked model, as on a first visit. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { benchForAll } from './workbench.js';

const CLINICS = ['North', 'South', 'East', 'West', 'Harbour', 'Hill'];

/** Sixty visits to six clinics; one lacks its outcome. */
const TABLE = [
  'group,x,y,note',
  ...Array.from({ length: 60 }, (_, visit) => {
    const clinic = visit % CLINICS.length;
    const x = ((visit * 37) % 60) / 6;
    const y = 50 + 3 * clinic + 1.7 * x + 4 * Math.sin(visit * visit);
    return `${CLINICS[clinic]},${x.toFixed(2)},${visit === 17 ? 'NA' : y.toFixed(1)},"late, by phone"`;
  }),
].join('\n');

const PARAMETERS = 'real alpha;\nreal<lower=0> tau;\nvector[N_group] a;\nreal b;\nreal<lower=0> sigma;';

const CENTERED = `data { int J; vector[J] y; vector[J] sigma; }
parameters { real mu; real<lower=0> tau; vector[J] theta; }
model { mu ~ normal(0, 10); tau ~ cauchy(0, 5); theta ~ normal(mu, tau); y ~ normal(theta, sigma); }`;
const SCHOOLS = '{"J": 8, "y": [28, 8, -3, 7, -1, 1, 18, 12], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]}';

describe('a newcomer', { skip: withoutChromium }, () => {
  const bench = benchForAll();
  const page = () => bench().page;
  const open = async (name: string, text: string) => {
    const chosen = page().waitForEvent('filechooser');
    await page().getByRole('button', { name: 'Projects' }).click();
    await page()
      .getByRole('menuitem', { name: /^Open files/ })
      .click();
    await (await chosen).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  };
  const program = () => page().getByRole('textbox', { name: 'Stan program' });

  it('sees the instructions first, on a phone too', async () => {
    const context = await page()
      .context()
      .browser()
      ?.newContext({ viewport: { width: 390, height: 844 } });
    const phone = await context?.newPage();
    await phone?.goto(page().url());
    await phone?.getByRole('heading', { name: /^Write a model/ }).waitFor();
    await phone?.getByRole('button', { name: 'Eight schools', exact: false }).first().click();
    await phone?.locator('.write [contenteditable]:visible').waitFor();
    await context?.close();
  });

  it('starts with a table, and is led to the parameters', async () => {
    await open('clinics.csv', TABLE);
    await page()
      .getByText(
        'group contains text, which is converted to numbers: 1 East, 2 Harbour, 3 Hill, 4 North, 5 South, 6 West.',
      )
      .waitFor();
    await page().getByText('Leave out the row with a missing value').waitFor();
    assert.deepEqual(await axeFindings(page()), []);
    await page().getByRole('checkbox', { name: 'note' }).click();
    await page().getByRole('button', { name: 'Start a program' }).click();
    await page().getByRole('heading', { name: 'Next: parameters and model' }).waitFor();
    assert.deepEqual(await axeFindings(page()), []);
    await page().keyboard.insertText(PARAMETERS.replaceAll('\n', '\n  '));
    await page().getByText('5 parameter variables').waitFor();
    await program().getByText('real<lower=0> tau;').waitFor();
  });

  it('is not covered by messages', async () => {
    const notice = await page().locator('.notice').boundingBox();
    for (const place of ['.settings', '.status']) {
      const box = await page().locator(place).boundingBox();
      if (box === null || notice === null) continue;
      const isBeside = notice.x >= box.x + box.width || notice.x + notice.width <= box.x;
      assert.ok(isBeside || notice.y + notice.height <= box.y || notice.y >= box.y + box.height, place);
    }
    assert.ok(notice !== null);
  });

  it('types braces that the editor has already closed', async () => {
    await page().keyboard.press('ControlOrMeta+End');
    await page().keyboard.type('generated quantities {\n');
    await page().keyboard.type('real c = 2 * b;\n}');
    const text = async () => (await program().locator('.cm-line').allTextContents()).join('\n').trimEnd();
    assert.match(await text(), /model \{\s*\}\ngenerated quantities \{\n {2}real c = 2 \* b;\n\}$/);
    await page().getByText('5 parameter variables').waitFor();
    await page().keyboard.type('\n}');
    assert.match(await text(), /\n\}\n\}$/);
  });

  it('is led to the error if an invalid program is run', async () => {
    await page()
      .getByRole('button', { name: /^1 error/ })
      .waitFor();
    await page().keyboard.press('ControlOrMeta+Home');
    await bench().run();
    await page()
      .getByText(/^Nothing was run because the program has an error\./)
      .waitFor();
    const active = page().locator('.cm-activeLine', { hasText: /^\}$/ });
    await active.waitFor();
    assert.equal(await page().locator('.runs').count(), 0);
  });

  it('reads which data do not match, and goes to them', async () => {
    await bench().tab('data.json');
    await bench().write('{"J": 8, "y": [28, 8], "sigma": [15, 10, 16, 11, 9, 11, 10, 18]}');
    await bench().tab('model.stan');
    await bench().write(CENTERED);
    await page().getByText('y has 2 elements, but the program declares 8 (J).').waitFor();
    await page().getByRole('button', { name: 'Go to the data' }).click();
    const data = page().getByRole('textbox', { name: 'Data as JSON' });
    await data.waitFor();
    assert.equal(await data.evaluate((element) => element.matches(':focus')), true);
  });

  it('follows the advice of a verdict to the named argument', async () => {
    await bench().write(SCHOOLS);
    await page().getByText('Ready to run').waitFor();
    await page().getByLabel('seed').fill('1');
    await bench().run();
    await page().getByRole('heading', { name: 'These draws should not be relied on yet' }).waitFor();
    assert.deepEqual(await axeFindings(page()), []);
    await page().getByRole('button', { name: 'Change delta' }).click();
    const delta = page().getByLabel('delta', { exact: true });
    assert.equal(await delta.evaluate((element) => element.matches(':focus')), true);
    await page().keyboard.type('0.99');
    await page().getByRole('button', { name: 'Reset delta' }).waitFor();
  });

  it('sees trace and density of a quantity side by side', async () => {
    await bench().tab('Plots');
    await page().locator('figcaption', { hasText: 'Density of mu' }).waitFor();
    const titles = await page().locator('figcaption > span').allTextContents();
    assert.deepEqual(titles.slice(0, 4), ['Trace of mu', 'Density of mu', 'Trace of tau', 'Density of tau']);
  });

  it('has the header in two rows on the narrowest screens', async () => {
    await page().setViewportSize({ width: 320, height: 640 });
    const header = await page().locator('.header').boundingBox();
    assert.ok(header !== null && header.height < 80, `${header?.height} px`);
    assert.equal(await page().evaluate('document.documentElement.scrollWidth'), 320);
  });
});
