/** A range of a text; the end is exclusive. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** The locations of the names of a JSON object's own members. The text must be valid JSON. */
export function memberPlaces(text: string): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  let depth = 0;
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]]/g;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const [token] = match;
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (depth === 1 && /^\s*:/.test(text.slice(tokens.lastIndex))) {
      const name: unknown = JSON.parse(token);
      if (typeof name === 'string') places.set(name, { from: match.index, to: tokens.lastIndex });
    }
  }
  return places;
}
