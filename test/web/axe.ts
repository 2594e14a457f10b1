import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Maximum number of checks of one state. While elements come and go, axe may fail or report elements that no longer exist. */
const CHECKS = 10;

const CHECK = `(async () => {
  const options = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] };
  for (let left = ${CHECKS - 1}; ; left--) {
    let changed = false;
    const observer = new MutationObserver(() => {
      changed = true;
    });
    observer.observe(document, { childList: true, subtree: true });
    const hasChanged = () => changed || observer.takeRecords().length > 0;
    try {
      const { violations } = await axe.run(document, options);
      if (violations.length > 0 && hasChanged() && left > 0) continue;
      return violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', '));
    } catch (error) {
      if (!hasChanged() || left === 0) throw error;
    } finally {
      observer.disconnect();
    }
  }
})()`;

/** The violations that axe finds in the page, by rule, with their elements. */
export async function axeFindings(page: Page): Promise<string[]> {
  // Colors are not checked during transitions.
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))');
  await page.evaluate(AXE);
  return page.evaluate(CHECK);
}
