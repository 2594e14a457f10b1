/** The command of a process: its first argument, which its threads inherit. Empty without arguments. */
export function purpose(): string {
  const [, , first = ''] = process.argv;
  return /^[a-z-]{1,20}$/.test(first) && !first.startsWith('-') ? first : '';
}
