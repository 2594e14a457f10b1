/**
 * Compile errors for clients of httpstan, which parse the type and the text of an exception from an error's message.
 */

/** The HTTP library of PyStan, which is listed in the header after the version of Python. */
const PYTHON_CLIENT = /\baiohttp\//;

/** Whether the header `User-Agent` names such a client. */
export function isHttpstanClient(userAgent: string | undefined): boolean {
  return userAgent !== undefined && PYTHON_CLIENT.test(userAgent);
}

/** A compile error's text, followed by the line that httpstan 4.17 sends: the exception as Python writes it, on one line. */
export function withPythonException(text: string): string {
  return `${text}\n\nException while compiling \`program_code\`: \`ValueError(${pythonString(text)})\``;
}

/** A Python string literal in ASCII. */
function pythonString(text: string): string {
  const escaped = text.replace(/[\\'\n]|[^ -~]/gu, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\\' || character === "'") return `\\${character}`;
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
  return `'${escaped}'`;
}
