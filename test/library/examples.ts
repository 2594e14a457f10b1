import { blocksOf } from '../support/documents.js';

/** An example of docs/library.md, and the output that the page shows. */
export interface Example {
  readonly name: string;
  readonly code: string;
  readonly output: string;
}

/** Every example of the page: a block of code, and the block of text after it. */
export function examples(): Example[] {
  const blocks = blocksOf('docs/library.md');
  return blocks.flatMap(({ heading, language, text }, index) => {
    if (language !== 'js') return [];
    const next = blocks.at(index + 1);
    if (next?.language !== 'text') throw new Error(`an example under "${heading}" has no output`);
    return [{ name: `${heading}, block ${index + 1}`, code: text, output: next.text.trimEnd() }];
  });
}
