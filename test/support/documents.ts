import { read } from '../project/tree.js';

/** A fenced block of a page, with the heading of its section. */
export interface Block {
  readonly heading: string;
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a page, in order; those of Markdown inside them are part of their text. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let heading = '';
  for (const [, title, , language, text] of read(page).matchAll(/^#+ (.+)$|^(`{3,})(\w*)\n([\s\S]*?)^\2$/gm)) {
    if (title !== undefined) heading = title;
    else blocks.push({ heading, language, text });
  }
  return blocks;
}

/** The texts of the blocks under a heading in a language. */
export function textsUnder(page: string, heading: string, language: string): string[] {
  const found = blocksOf(page).filter((block) => block.heading === heading && block.language === language);
  if (found.length === 0) throw new Error(`${page} has no ${language} under "${heading}"`);
  return found.map(({ text }) => text);
}
