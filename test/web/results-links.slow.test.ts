/** Links that contain a run. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, ranSchools, Workbench } from './workbench.js';

/** A program whose draws fit into no link. */
const MANY = `data { int<lower=0> N; }
parameters { vector[N] x; }
model { x ~ std_normal(); }
`;

describe('a link with results', { skip: withoutChromium }, () => {
  const opened = browserForAll();
  const PERMISSIONS = { permissions: ['clipboard-read', 'clipboard-write'] };

  const copy = async ({ page }: Workbench) => {
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Copy the results as a link/ }).click();
    await page.getByText(/^(The link is in the clipboard|Program, data and results need)/).waitFor();
    return String(await page.evaluate('navigator.clipboard.readText()'));
  };

  it('shows the verdict, the summary and plots of the run, and keeps it once the project is changed', async () => {
    const bench = await ranSchools(opened.browser, opened.server.address, PERMISSIONS);
    const link = await copy(bench);
    assert.ok(link.startsWith(`${opened.server.address}/#results=`));
    assert.ok(link.length <= 30_000, `${link.length} characters`);
    const summary = await bench.summary();
    await bench.close();

    const other = await Workbench.open(opened.browser, link);
    const { page } = other;
    const isShown = async () => {
      await other.reliable();
      await page.getByText('1,000 draws in each of 4 chains, from a link. No check found a problem.').waitFor();
      await page.getByRole('button', { name: /^Run 1 reliable from a link/ }).waitFor();
    };
    await isShown();
    assert.deepEqual(await axeFindings(page), []);
    assert.equal(await other.summary(), summary);
    await other.tab('Plots');
    await page.getByRole('img', { name: /^Trace of mu\. 4 chains of mu/ }).waitFor();
    // Nothing has been stored yet: the results are still in the address.
    await page.reload();
    await isShown();
    await page.getByLabel('Name of the project').fill('Eight schools of a link');
    await page.getByText('saved', { exact: true }).waitFor();
    await page.waitForFunction('location.hash === ""');
    await page.reload();
    await isShown();
    assert.equal(await other.summary(), summary);
    assert.deepEqual(other.complaints, []);
    await other.close();
  });

  it('is refused with the reason if it would be too long', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address, PERMISSIONS);
    const { page } = bench;
    await bench.write(MANY);
    await bench.tab('data.json');
    await bench.write('{"N": 400}');
    await page.getByText('Ready to run').waitFor();
    await bench.run();
    await page.getByRole('heading', { name: /^These draws/ }).waitFor();
    await copy(bench);
    await page.getByText(/at least [\d,]+ characters; links have at most 30,000/).waitFor();
    await bench.close();
  });

  it('is reported as damaged if it has been cut', async () => {
    const bench = await Workbench.open(opened.browser, `${opened.server.address}/#results=7VhNb9s4`);
    await bench.page.getByText(/The link is damaged|damaged/).waitFor();
    await bench.close();
  });
});
