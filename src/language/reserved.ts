/** Reserved words that are not keywords of the grammar. Source: Stan Reference Manual, "Reserved names". */
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

/** Whether an identifier is reserved: a reserved word, or a name that ends in `__`. */
export function isReservedName(name: string): boolean {
  return name.endsWith('__') || RESERVED.has(name);
}
