import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Maximum number of checks of one state. While elements come and go, axe may fail or report elements that no longer exist. */
const CHECKS = 10;

const CHECK = `(async () => {
  let changed = false;
  const observer = new MutationObserver(() => {
    changed = true;
  });
  observer.observe(document, { childList: true, subtree: true });
  try {
    const { violations } = await axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      resultTypes: ['violations'],
    });
    return {
      hasChanged: changed || observer.takeRecords().length > 0,
      violations: violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')),
    };
  } catch (error) {
    return { problem: error.stack };
  } finally {
    observer.disconnect();
  }
})()`;

type Checked =
  | { readonly hasChanged: boolean; readonly violations: string[]; readonly problem?: undefined }
  | { readonly problem: string };

/** The violations that axe finds in the page, by rule, with their elements. */
export async function axeFindings(page: Page): Promise<string[]> {
  for (let left = CHECKS - 1; ; left--) {
    // Colors are not checked during transitions.
    await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))');
    // Each check has its own axe: a check that failed may still be running.
    await page.evaluate(AXE);
    const checked: Checked = await page.evaluate(CHECK);
    if (checked.problem !== undefined) {
      if (left === 0) throw new Error(checked.problem);
    } else if (checked.violations.length === 0 || !checked.hasChanged || left === 0) {
      return checked.violations;
    }
  }
}
