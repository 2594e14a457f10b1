export const OWN: string;
export const OF_KERNELS: string;
export function packageFolder(file: string): string | undefined;
export function licenses(folders: Iterable<string>): string;
