/** Reads XML as it occurs in the files of spreadsheets: elements, attributes and text. */

/** Called for each part of a document, in order. Names come without their prefixes. */
export interface XmlVisitor {
  readonly open: (name: string, attributes: string) => void;
  readonly close?: (name: string) => void;
  readonly text?: (text: string) => void;
}

const TOKEN =
  /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<[?!][^>]*>|<(\/?)(?:[\w.-]+:)?([\w.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/g;

export function visitXml(document: string, { open, close, text }: XmlVisitor): void {
  for (const [, data, ending, name, attributes = '', empty, content] of document.matchAll(TOKEN)) {
    if (data !== undefined) text?.(data);
    else if (content !== undefined) text?.(decoded(content));
    else if (name === undefined) continue;
    else if (ending === '/') close?.(name);
    else {
      open(name, attributes);
      if (empty === '/') close?.(name);
    }
  }
}

/** By the names of attributes, of which sheets have a million. */
const PATTERNS = new Map<string, RegExp>();

/** The value of an attribute, with or without a prefix; undefined if it is absent. */
export function attributeIn(attributes: string, name: string): string | undefined {
  const pattern = PATTERNS.get(name) ?? new RegExp(String.raw`\s(?:[\w.-]+:)?${name}\s*=\s*(?:"([^"]*)"|'([^']*)')`);
  PATTERNS.set(name, pattern);
  const found = pattern.exec(attributes);
  const value = found?.[1] ?? found?.[2];
  return value === undefined ? undefined : decoded(value);
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

function decoded(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return ENTITIES.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
