/**
 * In a bundle, the `import` of the file that starts it, because functions from V8's stored code cannot import modules.
 */
declare const bundleImport: typeof plainImport | undefined;

const plainImport = (url: string) => import(url);

/** Imports a module that is not part of a bundle. */
export const importModule = typeof bundleImport === 'undefined' ? plainImport : bundleImport;
