/** The edits that turn a text into its formatted text. */
import type { Stretch } from '../derive/symbols.js';

export interface LineEdit extends Pick<Stretch, 'from' | 'to'> {
  readonly text: string;
}

/** A line of a text: its offset, and the number of characters before it that are not white space. */
interface Line {
  readonly offset: number;
  readonly before: number;
}

/**
 * Edits of whole lines, in order. Each edit changes as few lines as possible such that it keeps all characters except white space, so that a part
 * of the edits leaves a valid program. Where formatting also changes other characters, such as the location of a comment, one edit contains them
 * all. The formatted text gets the line ends of the text.
 */
export function formattingEdits(text: string, formatted: string): readonly LineEdit[] {
  const ending = /\r\n|\r|\n/.exec(text)?.[0] ?? '\n';
  const wanted = formatted.replace(/\r\n|\r|\n/g, ending);
  const edits: LineEdit[] = [];
  const cuts = commonCuts(text, wanted);
  for (const [index, [to, wantedTo]] of cuts.slice(1).entries()) {
    const [from, wantedFrom] = cuts[index];
    const made = wanted.slice(wantedFrom, wantedTo);
    if (text.slice(from, to) !== made) edits.push({ from, to, text: made });
  }
  return edits;
}

/** Pairs of offsets, from both starts to both ends, at which a line starts in both texts and the characters around it are the same. */
function commonCuts(text: string, wanted: string): readonly (readonly [number, number])[] {
  const [old, made] = [text, wanted].map((each) => each.replace(/\s+/g, ''));
  const shorter = Math.min(old.length, made.length);
  let same = 0;
  while (same < shorter && old[same] === made[same]) same++;
  let sameAtEnd = 0;
  while (sameAtEnd < shorter - same && old.at(-1 - sameAtEnd) === made.at(-1 - sameAtEnd)) sameAtEnd++;
  const grown = made.length - old.length;
  const starts = new Map(linesOf(wanted).map(({ before, offset }) => [before, offset]));
  const cuts: [number, number][] = [[0, 0]];
  for (const { before, offset } of new Map(linesOf(text).map((line) => [line.before, line])).values()) {
    const isBefore = before <= same;
    if (!isBefore && before < old.length - sameAtEnd) continue;
    const start = starts.get(isBefore ? before : before + grown);
    if (start !== undefined && start > 0 && offset > 0) cuts.push([offset, start]);
  }
  return [...cuts, [text.length, wanted.length]];
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let [offset, before] = [0, 0];
  for (const line of text.split(/(?<=\r\n|\n|\r(?!\n))/)) {
    lines.push({ offset, before });
    offset += line.length;
    before += line.replace(/\s+/g, '').length;
  }
  return lines;
}
