/** Where the keyboard's focus goes when windows, menus and views open and close. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { withoutChromium } from '../support/chromium.js';
import { benchForAll, Workbench } from './workbench.js';

describe('the focus in the workbench', { skip: withoutChromium }, () => {
  const bench = benchForAll();
  const page = () => bench().page;
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page().keyboard.press(key);
  };
  const focused = (element: Locator) => element.and(page().locator(':focus')).waitFor();
  const tab = (name: string) => page().getByRole('tab', { name, exact: true });
  const button = (name: string | RegExp) => page().getByRole('button', { name });
  const dialog = (name: string) => page().getByRole('dialog', { name });
  /** Performs the first action that the palette finds. */
  const perform = async (search: string, name: string) => {
    await press('ControlOrMeta+k');
    await focused(page().getByRole('combobox'));
    await page().keyboard.type(search);
    await page().getByRole('option', { name, selected: true }).waitFor();
    await press('Enter');
  };

  it('moves to the next step when an example is opened', async () => {
    await button(/^A coin/).focus();
    await press('Enter');
    await focused(page().getByRole('region', { name: 'Next step' }));
    await page().getByText('Ready to run').waitFor();
  });

  it('is in the tab that the palette shows', async () => {
    await perform('show the d', 'Show the data');
    await focused(tab('data.json'));
    await perform('show the p', 'Show the program');
    await focused(tab('model.stan'));
  });

  it('is in the palette before its code is loaded', async () => {
    const other = await Workbench.open(bench().page.context().browser() ?? assert.fail(), page().url());
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await other.page.route(/\/Palette-/, async (route) => {
      await released;
      await route.continue();
    });
    await other.write('parameters { real y; }');
    await other.page.keyboard.press('ControlOrMeta+k');
    await other.page.keyboard.type('show the d');
    assert.equal(await other.page.getByPlaceholder('Search for an action').inputValue(), 'show the d');
    release();
    await other.page.getByRole('option', { name: 'Show the data', selected: true }).waitFor();
    await other.page.keyboard.type('ata');
    assert.equal(await other.page.getByPlaceholder('Search for an action').inputValue(), 'show the data');
    await other.page.keyboard.press('Enter');
    await other.page.getByRole('tab', { name: 'data.json', selected: true }).waitFor();
    await other.tab('model.stan');
    assert.deepEqual(await other.page.locator('.write .cm-line').allTextContents(), ['parameters { real y; }']);
    await other.close();
  });

  it('returns from each window to where it was', async () => {
    await tab('model.stan').focus();
    for (const [search, action, window] of [
      ['notebooks', 'Code and notebooks', 'Code'],
      ['calibration', 'Simulation-based calibration', 'Calibration'],
      ['profile', 'Profile the program', 'Profile'],
      ['keys', 'Keys', 'Keys'],
    ] as const) {
      await perform(search, action);
      await dialog(window).waitFor();
      assert.equal(await dialog(window).locator(':focus').count(), 1, `${window} has the focus`);
      await press('Escape');
      await focused(tab('model.stan'));
    }
  });

  it('returns to a menu from the window that it opened', async () => {
    const share = button('Share');
    await share.focus();
    await press('Enter');
    await focused(page().getByRole('menuitem').first());
    await page().keyboard.type('Code');
    await focused(page().getByRole('menuitem', { name: /^Code/ }));
    await press('Enter');
    await focused(page().getByRole('tab', { selected: true, name: 'CmdStanPy' }));
    await dialog('Code').getByRole('button', { name: 'Close' }).focus();
    await press('Enter');
    await focused(share);
  });

  it('runs by a key that immediately follows the one that closes a window', async () => {
    await perform('calibration', 'Simulation-based calibration');
    await focused(dialog('Calibration').getByRole('spinbutton'));
    // No time passes between the keys.
    await page().evaluate(`for (const init of [{ key: 'Escape' }, { key: 'Enter', ctrlKey: true }])
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true }))`);
    await bench().reliable();
    await dialog('Calibration').waitFor({ state: 'detached' });
  });

  it('follows a quantity to its plots', async () => {
    await button('theta').first().focus();
    await press('Enter');
    await focused(tab('Plots'));
    await tab('Verdict').click();
  });

  it('stays at the choice of the language', async () => {
    const choice = page().locator('select.language');
    await choice.selectOption('de');
    await focused(page().getByRole('combobox', { name: 'Sprache' }));
    await choice.selectOption('en');
    await focused(page().getByRole('combobox', { name: 'Language' }));
  });

  it('moves from a deleted run to its neighbor, and to the notice by F6', async () => {
    await bench().run();
    await button(/^Run 2 reliable/).waitFor();
    await button('Delete run 2').focus();
    await press('Enter');
    await focused(button(/^Run 1/).first());
    await press('F6');
    await focused(button('Undo'));
    await press('Enter');
    await button(/^Run 2 reliable/).waitFor();
    await focused(button(/^Run 1/).first());
  });

  it('returns from the tour', async () => {
    await tab('Summary').focus();
    await perform('tour', 'Tour of the page');
    await focused(page().getByRole('region', { name: 'Tour, stop 1 of 4' }));
    await press('Tab', 'Enter');
    await focused(page().getByRole('region', { name: 'Tour, stop 2 of 4' }));
    await press('Escape');
    await focused(tab('Summary'));
  });
});
