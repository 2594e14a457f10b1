/** Exporting and importing projects: by link, by zip file, and as code. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import { CommandFolder } from '../cli/command.js';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, Workbench } from './workbench.js';

/** Names of the projects in the browser's database, as read by the page. */
const KEPT_NAMES = `new Promise((resolve, reject) => {
  const opening = indexedDB.open('leapfrog');
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const asked = opening.result.transaction('projects').objectStore('projects').getAll();
    asked.onsuccess = () => {
      opening.result.close();
      resolve(asked.result.map(({ name }) => name).sort().join());
    };
  };
})`;

describe('a project is shared', { skip: withoutChromium }, () => {
  const opened = browserForAll();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leapfrog-share-'));
  });
  after(async () => {
    await rm(folder, { recursive: true });
  });

  const open = () =>
    Workbench.open(opened.browser, opened.server.address, { permissions: ['clipboard-read', 'clipboard-write'] });
  const choose = async (bench: Workbench, name: RegExp, menu: 'Projects' | 'Share' = 'Share') => {
    await bench.page.getByRole('button', { name: menu, exact: true }).click();
    await bench.page.getByRole('menuitem', { name }).click();
  };
  const schools = async (bench: Workbench) => {
    await bench.openExample(/^Eight schools Partial/);
    await bench.page.getByText('Ready to run').waitFor();
    await bench.page.getByLabel('seed').fill('3');
  };
  const summaryOf = async (bench: Workbench) => {
    await bench.tab('Summary');
    await bench.page.locator('.numbers tbody th').first().waitFor();
    return bench.page.locator('.numbers tbody').textContent();
  };

  it('by a link that contains all of it', async () => {
    const bench = await open();
    await schools(bench);
    await choose(bench, /^Copy a link/);
    await bench.page.getByText('The link is in the clipboard').waitFor();
    const link = await bench.page.evaluate('navigator.clipboard.readText()');
    assert.ok(typeof link === 'string' && link.startsWith(`${opened.server.address}/#project=`));
    await bench.close();
    const other = await Workbench.open(opened.browser, link);
    assert.equal(await other.page.getByLabel('Name of the project').inputValue(), 'Eight schools');
    assert.equal(await other.page.getByLabel('seed').inputValue(), '3');
    await other.page.getByText('Ready to run').waitFor();
    await other.close();
  });

  it('by a link, which stores nothing until the project is changed', async () => {
    const bench = await open();
    const { page } = bench;
    const kept = () => page.evaluate(KEPT_NAMES);
    const name = page.getByLabel('Name of the project');
    await schools(bench);
    await choose(bench, /^Copy a link/);
    await page.getByText('The link is in the clipboard').waitFor();
    const link = await page.evaluate('navigator.clipboard.readText()');
    assert.ok(typeof link === 'string');
    await bench.openExample(/^A coin/);
    await page.getByText('saved', { exact: true }).waitFor();
    assert.equal(await kept(), 'A coin,Eight schools');

    // Once in the address of the open page, and once in that of a page that loads.
    await page.evaluate(`location.assign(${JSON.stringify(link)})`);
    const untouched = page.getByText('from a link; saved when you change or run it');
    for (const again of [async () => undefined, () => page.reload()]) {
      await again();
      await untouched.waitFor();
      assert.equal(await name.inputValue(), 'Eight schools');
      await page.getByText('Ready to run').waitFor();
      await bench.tab('data.json');
      await bench.tab('model.stan');
      // Longer than the page waits before it stores a change.
      await page.waitForTimeout(600);
      assert.equal(await kept(), 'A coin,Eight schools');
      assert.ok(new URL(page.url()).hash.startsWith('#project='));
    }

    await name.fill('Schools of mine');
    await page.getByText('saved', { exact: true }).waitFor();
    assert.equal(await kept(), 'A coin,Eight schools,Schools of mine');
    assert.equal(new URL(page.url()).hash, '');
    await page.reload();
    await page.getByText('Ready to run').waitFor();
    assert.equal(await name.inputValue(), 'Schools of mine');
    await bench.close();
  });

  it('with its last change, even if another project is opened immediately', async () => {
    const bench = await open();
    await schools(bench);
    await bench.page.getByText('saved', { exact: true }).waitFor();
    await bench.page.getByLabel('Name of the project').fill('Renamed at the last moment');
    await bench.page.getByRole('button', { name: 'Projects' }).click();
    await bench.page.getByRole('menuitem', { name: 'New project' }).click();
    await bench.page.getByText('Write a model, run it, inspect the results').waitFor();
    await bench.page.getByRole('button', { name: 'Projects' }).click();
    await bench.page.getByRole('menuitem', { name: /^Renamed at the last moment/ }).waitFor();
    await bench.close();
  });

  it('as the open one, even if the page is reloaded immediately', async () => {
    const bench = await open();
    const { page } = bench;
    await schools(bench);
    await page.getByText('saved', { exact: true }).waitFor();
    await bench.openExample(/^A coin/);
    await page.getByText('saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Projects' }).click();
    await page.getByRole('menuitem', { name: /^Eight schools/ }).waitFor();
    const loaded = page.waitForEvent('load');
    // One task of the page opens the project, and the next reloads the page before changes are stored.
    await page.evaluate(`{
      [...document.querySelectorAll('[role=menuitem]')].find((item) => item.textContent.startsWith('Eight schools')).click();
      setTimeout(() => location.reload());
    }`);
    await loaded;
    await page.getByText('Ready to run').waitFor();
    assert.equal(await page.getByLabel('Name of the project').inputValue(), 'Eight schools');
    await bench.close();
  });

  it('not by a truncated link, which is reported', async () => {
    const bench = await Workbench.open(opened.browser, `${opened.server.address}/#project=7VZNb9s`);
    await bench.page.getByText('The link is damaged or incomplete').waitFor();
    await bench.close();
  });

  it('by a zip file with its runs, whose draws CmdStan users can read', async () => {
    const bench = await open();
    await schools(bench);
    await bench.run();
    await bench.page.getByRole('heading', { name: 'These draws can be relied on' }).waitFor();
    const before = await summaryOf(bench);
    const saved = bench.page.waitForEvent('download');
    await choose(bench, /^Save as a zip/);
    const path = join(folder, (await saved).suggestedFilename());
    await (await saved).saveAs(path);
    await bench.close();

    const files = unzipSync(await readFile(path));
    assert.deepEqual(Object.keys(files).sort(), [
      'data.json',
      'model.stan',
      'project.json',
      'run-1/data.json',
      'run-1/draws_1.csv',
      'run-1/draws_2.csv',
      'run-1/draws_3.csv',
      'run-1/draws_4.csv',
      'run-1/model.stan',
      'run-1/run.json',
    ]);
    const texts = Object.fromEntries(
      Object.entries(files).map(([name, bytes]) => [name.replace('/', '-'), strFromU8(bytes)]),
    );
    const place = await CommandFolder.create(texts);
    const told = await place.run('summary', ...[1, 2, 3, 4].map((chain) => `run-1-draws_${chain}.csv`));
    assert.match(told.output, /^mu /m);
    await place.remove();

    const other = await open();
    const chosen = other.page.waitForEvent('filechooser');
    await choose(other, /^Open files/, 'Projects');
    await (await chosen).setFiles(path);
    await other.page.getByRole('heading', { name: 'These draws can be relied on' }).waitFor();
    assert.equal(await summaryOf(other), before);
    await other.page.getByText('saved', { exact: true }).waitFor();
    await other.page.reload();
    await other.page.getByRole('heading', { name: 'These draws can be relied on' }).waitFor();
    assert.equal(await summaryOf(other), before);
    await other.close();
  });

  it('not from a file of another program, which is reported', async () => {
    const bench = await open();
    const chosen = bench.page.waitForEvent('filechooser');
    await choose(bench, /^Open files/, 'Projects');
    await (await chosen).setFiles({
      name: 'broken.zip',
      mimeType: 'application/zip',
      buffer: Buffer.from('PK nothing'),
    });
    await bench.page.getByText('broken.zip cannot be opened: it is not a zip file.').waitFor();
    await bench.close();
  });

  it('as a link whose runs have the same draws, with the seed that the project drew', async () => {
    const bench = await open();
    await bench.openExample(/^A coin/);
    const seed = await bench.page.getByLabel('seed').inputValue();
    assert.match(seed, /^\d{1,6}$/);
    await bench.run();
    const table = await bench.summary();
    await choose(bench, /^Copy a link/);
    await bench.page.getByText('The link is in the clipboard').waitFor();
    const link = await bench.page.evaluate<string>('navigator.clipboard.readText()');
    const other = await Workbench.open(opened.browser, link);
    await other.page.getByText('Ready to run').waitFor();
    assert.equal(await other.page.getByLabel('seed').inputValue(), seed);
    await other.run();
    assert.equal(await other.summary(), table);
    await other.close();
    await bench.close();
  });

  it('as a QR code of the link, unless it is too long', async () => {
    const bench = await open();
    const { page } = bench;
    await bench.openExample(/^A coin/);
    await choose(bench, /QR code/);
    const code = page.getByRole('img', { name: 'QR code of the link to A coin' });
    await code.waitFor();
    await page.getByText(/^Other devices cannot open this link: 127\.0\.0\.1/).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    // A border of 4 modules; then the pattern that marks the upper left corner.
    const drawn = (await code.locator('path').getAttribute('d')) ?? '';
    assert.ok(drawn.startsWith('M4 4h1v1h-1zM5 4h1v1h-1z') && drawn.includes('M10 10h'));
    await page.keyboard.press('Escape');
    await bench.tab('data.json');
    await bench.write(JSON.stringify({ noise: Array.from({ length: 2000 }, (_, k) => Math.sin(k)) }));
    await choose(bench, /QR code/);
    await page.getByText(/^The link has [\d,]+ characters\. A QR code has at most 2,953/).waitFor();
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('as code, in a dialog that is accessible and closes with Esc', async () => {
    const bench = await open();
    await schools(bench);
    await choose(bench, /^Code/);
    await bench.page.getByRole('heading', { name: 'Run this elsewhere' }).waitFor();
    assert.deepEqual(await axeFindings(bench.page), []);
    const code = await bench.page.locator('.code:visible').textContent();
    assert.match(code ?? '', /seed=3,\n {4}adapt_delta=0\.95,\n/);
    await bench.page.keyboard.press('Escape');
    await bench.page.getByRole('heading', { name: 'Run this elsewhere' }).waitFor({ state: 'hidden' });
    await bench.close();
  });
});
