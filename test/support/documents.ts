import { read } from '../project/tree.js';

/** A fenced block of a page, with the heading of its section. */
export interface Block {
  readonly heading: string;
  /** The prose between the block and the one before it, or the heading. */
  readonly lead: string;
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page, in order; those of Markdown inside them are part of their text. */
export function blocksOf(page: string): Block[] {
  const contents = read(page);
  const blocks: Block[] = [];
  let heading = '';
  let end = 0;
  for (const found of contents.matchAll(/^#+ (.+)$|^(`{3,})(\w*)\n([\s\S]*?)^\2$/gm)) {
    const [all, title, , language, text] = found;
    if (title !== undefined) heading = title;
    else blocks.push({ heading, lead: contents.slice(end, found.index), language, text });
    end = found.index + all.length;
  }
  return blocks;
}

/** The files that a page shows: each block of a program, data or a document, under the last name before it. */
export function filesOf(page: string): Record<string, string> {
  const shown = blocksOf(page).flatMap(({ language, lead, text }) => {
    const name = /^.*`([\w.-]+\.(?:stan|json|[Rq]md))`[^`]*:\s*$/s.exec(lead)?.[1];
    return name !== undefined && ['stan', 'json', 'markdown'].includes(language) ? [[name, text] as const] : [];
  });
  return Object.fromEntries(shown);
}

/** The texts of the blocks under a heading in a language. */
export function textsUnder(page: string, heading: string, language: string): string[] {
  const found = blocksOf(page).filter((block) => block.heading === heading && block.language === language);
  if (found.length === 0) throw new Error(`${page} has no ${language} under "${heading}"`);
  return found.map(({ text }) => text);
}
