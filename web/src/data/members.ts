/** Edits JSON data one member at a time, so that other members keep their formatting. */
import { parseStanJson } from '#engine/formats/stan-json.js';

/** The JSON text of each member of an object; empty if the text is not an object. */
export function membersOf(text: string): ReadonlyMap<string, string> {
  try {
    const value = parseStanJson(text, { plainNumbers: true });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Map();
  } catch {
    return new Map();
  }
  const members = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  let start = 0;
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
  const end = (at: number) => {
    if (name !== undefined) members.set(name, text.slice(start, at).trim());
    name = undefined;
  };
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const [token] = match;
    if (depth === 1 && name === undefined && token.startsWith('"')) name = String(JSON.parse(token));
    else if (depth === 1 && token === ':') start = tokens.lastIndex;
    else if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') {
      depth--;
      if (depth === 0) end(match.index);
    } else if (depth === 1 && token === ',') end(match.index);
  }
  return members;
}

/** The text with some members replaced. New members are appended. */
export function withMembers(text: string, changes: ReadonlyMap<string, string>): string {
  const members = [...new Map([...membersOf(text), ...changes])];
  if (members.length === 0) return '{}\n';
  return `{\n${members.map(([name, value]) => `  ${JSON.stringify(name)}: ${value}`).join(',\n')}\n}\n`;
}
