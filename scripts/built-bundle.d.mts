export function recordInputs(root: string, files: Iterable<string>): void;
export function outdated(root: string, tests: readonly string[]): string | undefined;
