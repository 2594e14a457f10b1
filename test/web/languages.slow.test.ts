/** The page in German, which tests that its texts can be translated. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { withoutChromium } from '../support/chromium.js';
import { axeFindings } from './axe.js';
import { browserForAll, Workbench } from './workbench.js';

const TABS = ['Übersicht', 'Diagramme', 'Vorhersage', 'Vergleich', 'Ziehungen', 'Protokoll'];

async function runSchools(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Beispiele' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Acht Schulen Partielles/ })
    .click();
  // A narrow page shows the program.
  await page.getByText('Bereit zum Start').waitFor({ state: 'attached' });
  await page.getByLabel('Seed', { exact: true }).first().fill('1');
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.getByRole('heading', { name: 'Diese Ziehungen sind verlässlich' }).waitFor();
}

describe('the page in German', { skip: withoutChromium }, () => {
  const opened = browserForAll();
  const open = (options: BrowserContextOptions) => Workbench.open(opened.browser, opened.server.address, options);

  it('is chosen by the languages of the browser, from an example to its results', async () => {
    const bench = await open({ locale: 'de-DE' });
    const { page } = bench;
    await page.getByRole('heading', { name: 'Modell schreiben, starten, Ergebnisse prüfen' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    await runSchools(page);
    await page.getByText(/^1\.000 Ziehungen in jeder von 4 Ketten, in \d+,\d s\. Keine Prüfung/).waitFor();
    await page.getByRole('button', { name: /^Lauf 1 verlässlich/ }).waitFor();
    await page.getByText('Kein Übergang hat die maximale Baumtiefe von 10 erreicht.').waitFor();
    assert.equal(await page.locator('.verdict [lang=en]').count(), 0);
    await page.getByRole('tab', { name: 'Übersicht' }).click();
    await page.getByRole('button', { name: 'Mittelwert', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Diagramme' }).click();
    await page.getByRole('img', { name: /^Pfad von mu\. 4 Ketten von mu, Ziehung für Ziehung/ }).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Pfad von mu speichern' }).click();
    await page.getByRole('menuitem', { name: 'Als SVG speichern' }).click();
    const svg = await readFile(await (await saved).path(), 'utf8');
    for (const text of ['Pfad von mu', 'Kette 1', 'Ziehung']) assert.ok(svg.includes(`>${text}</text>`), text);
    assert.equal(await page.locator('.plots [lang=en]').count(), 0);
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByPlaceholder('Aktion suchen').fill('a-priori');
    await page.getByRole('option', { name: 'Aus der A-priori-Verteilung ziehen' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Befund' }).click();
    await page.getByRole('heading', { name: 'Diese Ziehungen stellen die A-priori-Verteilung dar' }).waitFor();
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('has decimal commas wherever people read numbers, and points in files', async () => {
    const bench = await open({ locale: 'de-DE' });
    const { page } = bench;
    await runSchools(page);
    /** A decimal point, or a comma; a point before three digits separates thousands. */
    const numbers = async (place: string) => {
      const text = (await page.locator(place).allInnerTexts()).join('\n');
      return { points: text.match(/\d\.\d(?!\d\d\b)[^\n]*/g) ?? [], commas: text.match(/\d,\d/g) ?? [] };
    };
    const isGerman = async (place: string) => {
      const { commas, points } = await numbers(place);
      assert.deepEqual(points, [], place);
      assert.ok(commas.length > 0, place);
    };
    await isGerman('.verdict');
    for (const [tab, place] of [
      ['Übersicht', '.numbers tbody'],
      ['Ziehungen', '.numbers tbody'],
      ['Vorhersage', '.look [role=tabpanel]:visible'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click();
      await page.locator(place).first().waitFor();
      if (tab === 'Vorhersage') await page.getByText('elpd_loo', { exact: true }).first().waitFor();
      await isGerman(place);
    }
    await page.getByRole('tab', { name: 'Diagramme' }).click();
    await page.getByRole('img', { name: /^Dichte von mu\..* \d+,\d/ }).waitFor();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Dichte von mu speichern' }).click();
    await page.getByRole('menuitem', { name: 'Zahlen als CSV speichern' }).click();
    assert.match(await readFile(await (await saved).path(), 'utf8'), /^1,-?\d+\.\d+,\d/m);
    await page.getByRole('button', { name: 'Teilen' }).click();
    const report = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: /Bericht/ }).click();
    const html = (await readFile(await (await report).path(), 'utf8')).replaceAll(/<style>[\s\S]*?<\/style>/g, '');
    const shown = html.replaceAll(/<[^>]*>/g, ' ');
    assert.deepEqual(shown.match(/\d\.\d(?!\d\d\b)/g) ?? [], []);
    assert.match(shown, /\d,\d/);
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('translates the text above the program of an example or a lesson when the language changes', async () => {
    const bench = await open({ locale: 'de-DE' });
    const { page } = bench;
    await page.getByRole('button', { name: /^Lektion 1/ }).click();
    await page.getByText('Eine Münze fiel bei zehn Würfen').waitFor();
    await page.locator('.cm-line', { hasText: '// Wahrscheinlichkeit von Kopf' }).waitFor();
    await page.getByLabel('Sprache').selectOption('English');
    await page.getByText('Ten tosses of a coin gave two heads').waitFor();
    await bench.openExample(/^Eight schools Partial/);
    await page.getByText('Eight schools each tried').waitFor();
    await page.getByLabel('Language').selectOption('Deutsch');
    await page.getByText('Eight schools each tried').waitFor({ state: 'detached' });
    assert.deepEqual(bench.complaints, []);
    await bench.close();
  });

  it('translates texts of the engine: advice, settings, problems with data, descriptions, scripts', async () => {
    const bench = await open({ locale: 'de-DE' });
    const { page } = bench;
    await page.getByRole('button', { name: 'Beispiele' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Acht Schulen, zentriert/ })
      .click();
    await page.getByText('Bereit zum Start').waitFor();
    await page.getByText(/^Dasselbe Modell wie „Acht Schulen“/).waitFor();
    await page.getByLabel('Seed', { exact: true }).first().fill('1');
    await bench.run();
    await page.getByRole('heading', { name: 'Diese Ziehungen sind noch nicht verlässlich' }).waitFor();
    await page.getByText(/^\d+ von 4000 Übergängen \([\d,]+ %\) sind divergent: Der Sampler konnte/).waitFor();
    await page
      .locator('.concerns')
      .getByText(/^Kette \d: \d+$/)
      .first()
      .waitFor();
    assert.equal(await page.locator('.verdict [lang=en]').count(), 0);

    await page.getByRole('button', { name: 'mehr …' }).click();
    await page.getByText('Eine Trajektorie hat höchstens 2^max_depth - 1 Leapfrog-Schritte.').waitFor();
    await page.getByLabel('max_depth').fill('0');
    await page.getByText('max_depth muss mindestens 1 sein.').waitFor();
    await page.getByLabel('max_depth').fill('10');
    await page.getByRole('button', { name: 'weniger' }).click();

    await bench.tab('data.json');
    await bench.write('{"J": 2, "y": [1], "sigma": [1, -1]}');
    await bench.run();
    await page
      .getByText(/^Es wurde nichts gestartet\. y hat 1 Element, das Programm deklariert aber 2 \(J\)\./)
      .waitFor();

    await bench.tab('script.js');
    await bench.write('while (true);');
    await page.getByRole('button', { name: 'Skript ausführen' }).click();
    await page.getByRole('button', { name: 'Skript anhalten' }).click();
    await page.getByText('Das Skript wurde angehalten.').waitFor();
    for (const [script, message] of [
      ['import("x")', 'Skripte können nichts importieren. Observable Plot ist als Plot verfügbar.'],
      ['show(1)', 'Zeile 1: Error: show braucht ein Diagramm, zum Beispiel Plot.plot(…)'],
      ['table(1)', 'Zeile 1: Error: table braucht ein Array von Objekten oder ein Objekt von Arrays'],
    ] as const) {
      await bench.write(script);
      await page.getByRole('button', { name: 'Skript ausführen' }).click();
      await page.getByText(message).waitFor();
    }

    await page.getByRole('button', { name: 'Beispiele' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Lektion 4/ })
      .click();
    await page.getByRole('heading', { name: 'Ein Trichter' }).waitFor();
    await bench.close();
  });

  it('is chosen in the page, and stays after reloading', async () => {
    const bench = await open({ locale: 'en-GB' });
    const { page } = bench;
    await bench.openExample(/^A coin/);
    // The editor keeps its steps of undoing, after another tab was shown too.
    const editor = page.locator('.write [contenteditable]:visible');
    await editor.click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.type('// typed');
    await bench.tab('data.json');
    await bench.tab('model.stan');
    await editor.getByText('// typed').waitFor();
    await page.getByLabel('Language').selectOption('Deutsch');
    await page.getByRole('button', { name: /^Starten/ }).waitFor();
    await editor.click();
    await page.keyboard.press('ControlOrMeta+z');
    await editor.getByText('// typed').waitFor({ state: 'detached' });
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    assert.equal(await page.getByLabel('Name des Projekts').inputValue(), 'A coin');
    await page.reload();
    await page.getByRole('button', { name: /^Starten/ }).waitFor();
    await page.getByLabel('Sprache').selectOption('English');
    await page.getByRole('button', { name: /^Run/ }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'en');
    await bench.close();
  });

  it('is in English for a browser with languages that the page does not have', async () => {
    const bench = await open({ locale: 'eo' });
    await bench.page.getByRole('heading', { name: /^Write a model/ }).waitFor();
    await bench.close();
  });

  for (const width of [390, 1280]) {
    it(`has no finding of axe in any view, and nothing beside the page, at ${width} px`, async () => {
      const bench = await open({ locale: 'de-DE', viewport: { width, height: 800 } });
      const { page } = bench;
      const look = async (view: string) => {
        assert.deepEqual(await axeFindings(page), [], view);
        const beside = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.ok(Number(beside) <= 0, `${view}: ${beside} px beside the page`);
      };
      await look('the start');
      await runSchools(page);
      await look('the verdict');
      for (const tab of TABS) {
        await page.getByRole('tab', { name: tab }).click();
        await look(tab);
      }
      if (width < 800) await page.getByRole('button', { name: 'Schreiben' }).click();
      await page.getByRole('button', { name: 'mehr …' }).click();
      await look('all arguments');
      await bench.close();
    });
  }
});
