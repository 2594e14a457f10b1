import { Fragment, type ReactNode } from 'react';

/**
 * Renders Markdown: headings, paragraphs, lists, fenced code; `code`, **strong**, _emphasis_ and https links. Everything else, including HTML, is
 * shown as text, because lessons come from links.
 */
export function Markdown({ text }: { readonly text: string }) {
  return blocksOf(text).map((block, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a text's blocks do not move
    <Fragment key={index}>{blockOf(block)}</Fragment>
  ));
}

/** Blocks separated by empty lines; fenced code is one block. */
function blocksOf(text: string): readonly string[] {
  return [...text.matchAll(/^```[\s\S]*?^```[ \t]*$|(?:^(?!```).*\S.*(?:\n|$))+/gm)].map(([block]) => block.trimEnd());
}

function blockOf(block: string): ReactNode {
  const code = /^```.*\n([\s\S]*?)\n?```$/.exec(block);
  if (code !== null) return <pre>{code[1]}</pre>;
  const heading = /^#{1,6} +(.*)$/.exec(block);
  if (heading !== null) return <h2>{inline(heading[1] ?? '')}</h2>;
  if (/^(?:[-*]|\d+\.) /.test(block)) {
    const items = block.split(/\n(?=(?:[-*]|\d+\.) )/).map((item) => item.replace(/^(?:[-*]|\d+\.) +/, ''));
    const List = /^\d/.test(block) ? 'ol' : 'ul';
    return (
      <List>
        {items.map((item) => (
          <li key={item}>{inline(item)}</li>
        ))}
      </List>
    );
  }
  return <p>{inline(block)}</p>;
}

const INLINE = /(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*|(?<!\w)_[^_\s][^_]*_(?!\w)|\[[^\]]+\]\(https:[^)\s]+\))/;

function inline(text: string): ReactNode {
  return text.split(INLINE).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a text's parts do not move
    <Fragment key={index}>{partOf(part)}</Fragment>
  ));
}

function partOf(part: string): ReactNode {
  if (/^`[^`]+`$/.test(part)) return <code>{part.slice(1, -1)}</code>;
  if (/^\*\*[^*]+\*\*$/.test(part)) return <strong>{part.slice(2, -2)}</strong>;
  if (/^(?:\*[^*]+\*|_[^_]+_)$/.test(part)) return <em>{part.slice(1, -1)}</em>;
  const link = /^\[([^\]]+)\]\((https:[^)\s]+)\)$/.exec(part);
  if (link === null) return part;
  return (
    <a href={link[2]} target="_blank" rel="noopener noreferrer">
      {link[1]}
    </a>
  );
}
