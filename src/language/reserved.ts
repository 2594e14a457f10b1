/** Words that the grammar does not need but that Stan keeps for itself. Source: Stan Reference Manual, "Reserved names". */
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

/** Whether a name that the grammar takes as an identifier is nevertheless not free: a reserved word, or one ending in `__`. */
export function isReservedName(name: string): boolean {
  return name.endsWith('__') || RESERVED.has(name);
}
