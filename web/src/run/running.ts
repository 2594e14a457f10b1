/** Starting and ending runs. What runs them is loaded with the first one. */

export async function startRun(): Promise<void> {
  const { startRun } = await import('./browser-run.js');
  await startRun();
}

/** Ends a run; its draws so far are kept. */
export async function cancelRun(id: string): Promise<void> {
  const { cancelRun } = await import('./browser-run.js');
  cancelRun(id);
}
