/** The command with a limit on its processor seconds, at which it ends with SIGXCPU. */
export function limited(
  seconds: number,
  command: readonly string[],
): readonly [command: string, arguments_: readonly string[]] {
  return ['bash', ['-c', 'ulimit -S -t "$0"; exec "$@"', String(Math.ceil(seconds)), ...command]];
}

/** Whether an error of `execFileSync` means that the command reached its limit. */
export function isOutOfTime(error: unknown): boolean {
  return error instanceof Error && 'signal' in error && error.signal === 'SIGXCPU';
}
