/** Checks that every fragment of a link between pages of the built site exists. VitePress checks only the pages. */
import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('dist/', import.meta.url);
const texts = new Map(
  readdirSync(root, { recursive: true })
    .filter((name) => name.endsWith('.html'))
    .map((name) => [new URL(name, root).href, readFileSync(new URL(name, root), 'utf8')]),
);
const identifiers = new Map(
  [...texts].map(([page, text]) => [page, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
);

let broken = 0;
for (const [page, text] of texts) {
  for (const [, link] of text.matchAll(/<a [^>]*href="([^":]*#[^"]+)"/g)) {
    const target = new URL(link.startsWith('/') ? `.${link}` : link, link.startsWith('/') ? root : page);
    const fragment = decodeURIComponent(target.hash.slice(1));
    target.hash = '';
    const found = identifiers.get(target.href) ?? identifiers.get(`${target.href}.html`);
    if (found?.has(fragment)) continue;
    console.error(`${page.slice(root.href.length)}: ${link} leads nowhere`);
    broken++;
  }
}
process.exitCode = broken > 0 ? 1 : 0;
