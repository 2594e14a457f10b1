/** Words that the grammar does not need but that Stan reserves. Source: Stan Reference Manual, "Reserved names". */
const RESERVED: ReadonlySet<string> = new Set([
  'generated',
  'quantities',
  'transformed',
  'repeat',
  'until',
  'then',
  'true',
  'false',
  'typedef',
  'struct',
  'var',
  'export',
  'extern',
  'static',
  'auto',
]);

/** Whether a name that is an identifier in the grammar is nevertheless reserved: a reserved word, or one ending in `__`. */
export function isReservedName(name: string): boolean {
  return name.endsWith('__') || RESERVED.has(name);
}
