/** Maximum number of lines of a message that is shown in full. */
const MOST_LINES = 8;

/** A shortened message: without its list of signatures, except what the first one expects and what was found. */
export function briefMessage(message: string): string {
  const lines = message.split('\n');
  if (lines.length <= MOST_LINES) return message;
  const expected = lines.find((line) => /^\s+The .* argument must be /.test(line));
  return lines
    .filter(
      (line) => line === expected || !/^\s*\(.*\) => |^\s+The .* argument must be |^\s*\(Additional sig/.test(line),
    )
    .join('\n')
    .replace(/\s*Available signatures:\s*/, '\n');
}
