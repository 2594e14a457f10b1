/** In a bundle: `import` of its start. V8 forgets how to import modules with code that was stored. */
declare const bundleImport: typeof plainImport | undefined;

const plainImport = (url: string) => import(url);

/** Imports a module that is part of no bundle. */
export const importModule = typeof bundleImport === 'undefined' ? plainImport : bundleImport;
