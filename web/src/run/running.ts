/** Starting and ending runs. What runs them is loaded with the first one. */

export async function startRun(): Promise<void> {
  const { startRun } = await import('./starting.js');
  await startRun();
}

/** Runs the program without its likelihood; resolves to the reason where it cannot be told apart. */
export async function startPrior(): Promise<string | undefined> {
  const { startPrior } = await import('./starting.js');
  return startPrior();
}

/** Ends a run; its draws so far are kept. */
export async function cancelRun(id: string): Promise<void> {
  const { cancelRun } = await import('./starting.js');
  cancelRun(id);
}
