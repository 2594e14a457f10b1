/** Ids of runs that are in progress, or whose draws have not been stored and checked yet. They persist when another project is opened. */
export const unsettled = new Set<string>();
