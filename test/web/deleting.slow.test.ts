/** Deleting and restoring in the page. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutChromium } from '../support/chromium.js';
import { browserForAll, ranSchools, Workbench } from './workbench.js';

describe('the workbench deletes', { skip: withoutChromium }, () => {
  const opened = browserForAll();

  const nameOfProject = (bench: Workbench) => bench.page.getByLabel('Name of the project').inputValue();
  /** Waits until a condition holds for all records of a store in the browser's database. */
  const stored = async (bench: Workbench, store: 'projects' | 'runs', condition: string) => {
    const holds = `new Promise((resolve, reject) => {
      const asked = indexedDB.open('leapfrog');
      asked.onerror = reject;
      asked.onsuccess = () => {
        const all = asked.result.transaction('${store}').objectStore('${store}').getAll();
        all.onsuccess = () => { asked.result.close(); resolve(all.result.every(${condition})); };
      };
    })`;
    while (!(await bench.page.evaluate<boolean>(holds))) await bench.page.waitForTimeout(10);
  };
  const undo = (bench: Workbench) => bench.page.getByRole('button', { name: 'Undo' }).click();
  const inProjects = async (bench: Workbench, name: string | RegExp) => {
    await bench.page.getByRole('button', { name: 'Projects' }).click();
    await bench.page.getByRole('menuitem', { name }).click();
  };

  const schools = () => ranSchools(opened.browser, opened.server.address);

  it('a run, which Undo brings back with its draws', async () => {
    const bench = await schools();
    const before = await bench.summary();
    await bench.page.getByRole('button', { name: 'Delete run 1' }).click();
    await bench.page.getByText('Ready to run').waitFor();
    await undo(bench);
    assert.equal(await bench.summary(), before);
    await bench.page.reload();
    assert.equal(await bench.summary(), before);
    await bench.close();
  });

  it('a run, with a notice that stays while it has the pointer or the focus', async () => {
    const bench = await schools();
    const { page } = bench;
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await page.getByRole('button', { name: 'Delete run 1' }).click();
    const notice = page.locator('.notice');
    await notice.getByRole('button', { name: 'Undo' }).focus();
    await page.clock.fastForward(60_000);
    await notice.hover();
    await page.getByLabel('Name of the project').focus();
    await page.clock.fastForward(60_000);
    assert.equal(await notice.count(), 1);
    await page.mouse.move(5, 5);
    while ((await notice.count()) > 0) await page.clock.fastForward(60_000);
    await bench.close();
  });

  it('a project with its runs, which Undo brings back', async () => {
    const bench = await schools();
    const before = await bench.summary();
    await inProjects(bench, 'Delete this project');
    await bench.page.getByText('The project “Eight schools” was deleted.').waitFor();
    assert.equal(await nameOfProject(bench), 'Untitled');
    await undo(bench);
    assert.equal(await bench.summary(), before);
    assert.equal(await nameOfProject(bench), 'Eight schools');
    await bench.close();
  });

  it('not permanently: the menu Projects restores both after a reload', async () => {
    const bench = await schools();
    const before = await bench.summary();
    await bench.page.getByRole('button', { name: 'Delete run 1' }).click();
    await bench.page.getByText('Run 1 of “Eight schools” was deleted.').waitFor();
    await bench.page.reload();
    await bench.page.getByText('Ready to run').waitFor();
    await inProjects(bench, /^Run 1 of Eight schools/);
    assert.equal(await bench.summary(), before);

    await inProjects(bench, 'Delete this project');
    await bench.page.getByText('The project “Eight schools” was deleted.').waitFor();
    await bench.page.reload();
    await bench.page.getByRole('button', { name: 'Examples' }).waitFor();
    assert.equal(await nameOfProject(bench), 'Untitled');
    await inProjects(bench, /^Eight schools deleted/);
    assert.equal(await bench.summary(), before);
    await bench.close();
  });

  it('permanently what is in the trash, on request', async () => {
    const bench = await schools();
    await inProjects(bench, 'Delete this project');
    await bench.page.getByText('The project “Eight schools” was deleted.').waitFor();
    await inProjects(bench, 'Delete it permanently');
    await stored(bench, 'projects', '({ deletedAt }) => deletedAt === undefined');
    await bench.page.reload();
    await bench.page.getByRole('button', { name: 'Projects' }).click();
    await bench.page.getByRole('menuitem', { name: 'New project' }).waitFor();
    assert.equal(await bench.page.getByRole('menuitem', { name: /Eight schools/ }).count(), 0);
    await bench.close();
  });

  it('permanently what was deleted more than 30 days ago', async () => {
    const bench = await schools();
    const { page } = bench;
    await page.getByRole('button', { name: 'Delete run 1' }).click();
    await page.getByText('Run 1 of “Eight schools” was deleted.').waitFor();
    const runs = (change: string) =>
      page.evaluate<number>(`new Promise((resolve, reject) => {
        const asked = indexedDB.open('leapfrog');
        asked.onerror = reject;
        asked.onsuccess = () => {
          const made = asked.result.transaction('runs', 'readwrite');
          const store = made.objectStore('runs');
          ${change}
          const counted = store.count();
          made.oncomplete = () => { asked.result.close(); resolve(counted.result); };
        };
      })`);
    const deletedAt = (days: number) => `store.getAll().onsuccess = ({ target: { result } }) =>
      result.forEach((run) => store.put({ ...run, deletedAt: Date.now() - ${days} * 24 * 60 * 60 * 1000 }));`;
    assert.equal(await runs(deletedAt(29)), 1);
    await page.reload();
    await page.getByText('Ready to run').waitFor();
    assert.equal(await runs(deletedAt(31)), 1);
    await page.reload();
    await page.getByText('Ready to run').waitFor();
    await page.getByRole('button', { name: 'Projects' }).click();
    await page.getByRole('menuitem', { name: 'New project' }).waitFor();
    while ((await runs('')) > 0) await page.waitForTimeout(10);
    await bench.close();
  });

  it('an included text, which Undo brings back', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await bench.write('functions {\n#include scale.stan\n}\n');
    await page.getByRole('button', { name: 'Add an include' }).click();
    await page.getByRole('tab', { name: 'scale.stan' }).waitFor();
    await bench.write('real twice(real x) { return 2 * x; }');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('scale.stan was removed.').waitFor();
    await undo(bench);
    await page.getByRole('tab', { name: 'scale.stan' }).waitFor();
    const text = (await page.locator('.write .cm-content:visible').allTextContents()).join('');
    assert.match(text, /real twice/);
    await bench.close();
  });

  it('no run that continues while another project is open', async () => {
    const bench = await Workbench.open(opened.browser, opened.server.address);
    const { page } = bench;
    await bench.openExample(/^Eight schools Partial/);
    await page.getByText('Ready to run').waitFor();
    await page.getByLabel('seed').fill('1');
    await page.getByLabel('samples').fill('20000');
    await bench.run();
    await page.getByRole('heading', { name: 'Running' }).waitFor();
    await bench.openExample(/^A coin/);
    await page.getByText('Ready to run').waitFor();
    await inProjects(bench, /^Eight schools/);
    await bench.reliable();
    await stored(bench, 'runs', '({ findings }) => findings !== undefined');
    // The page opens the project that was saved last.
    await page.getByText('saved', { exact: true }).waitFor();
    await page.reload();
    await bench.reliable();
    await bench.close();
  });
});
