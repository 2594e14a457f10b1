/** Starts and ends runs. The code that runs them is loaded on first use. */

export async function startRun(): Promise<void> {
  const { startRun } = await import('./starting.js');
  await startRun();
}

/** Runs the program without its likelihood. Resolves to a reason if the likelihood cannot be determined. */
export async function startPrior(): Promise<string | undefined> {
  const { startPrior } = await import('./starting.js');
  return startPrior();
}

/** Ends a run; its draws so far are kept. */
export async function cancelRun(id: string): Promise<void> {
  const { cancelRun } = await import('./starting.js');
  cancelRun(id);
}
