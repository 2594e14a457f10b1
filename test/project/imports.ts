import { posix } from 'node:path';

export interface Import {
  readonly file: string;
  /** Path from the root for a relative import, otherwise the package's name. */
  readonly target: string;
  readonly isPackage: boolean;
  readonly typesOnly: boolean;
}

const STATEMENT = /^(?:import|export)\b(?<type>\s+type\b)?(?<names>[^;'"]*?\bfrom)?\s*'(?<from>[^']+)'/gm;
const DYNAMIC = /(?<![.\w])import\(\s*'(?<from>[^']+)'/g;

/** Every import and re-export of a TypeScript text. */
export function importsOf(file: string, text: string): Import[] {
  const statements = [...text.matchAll(STATEMENT)].map(({ groups }) =>
    toImport(file, groups?.from ?? '', groups?.type !== undefined || hasTypesOnly(groups?.names ?? '')),
  );
  const dynamic = [...text.matchAll(DYNAMIC)].map(({ groups }) => toImport(file, groups?.from ?? '', false));
  return [...statements, ...dynamic];
}

/** `{ type A, type B } from`. */
function hasTypesOnly(names: string): boolean {
  const list =
    /\{([^}]*)\}/
      .exec(names)?.[1]
      .split(',')
      .filter((name) => name.trim() !== '') ?? [];
  return list.length > 0 && list.every((name) => /^\s*type\s/.test(name));
}

function toImport(file: string, from: string, typesOnly: boolean): Import {
  const isPackage = !from.startsWith('.');
  const target = isPackage ? from : posix.normalize(posix.join(posix.dirname(file), from)).replace(/\.js$/, '.ts');
  return { file, target, isPackage, typesOnly };
}
