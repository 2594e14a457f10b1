/** What a process is for: the command that is its first argument. Its threads have the same first argument. Empty without such an argument. */
export function purpose(): string {
  const [, , first = ''] = process.argv;
  return /^[a-z-]{1,20}$/.test(first) && !first.startsWith('-') ? first : '';
}
