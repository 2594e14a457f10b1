/** The ways to share a project that need no choices. */
type Way = 'copyEmbedding' | 'copyLink' | 'copyResults' | 'openWhole' | 'savePicture' | 'saveReport' | 'saveZip';

/** Shares the open project. The code is loaded on first use. */
export async function share(way: Way): Promise<void> {
  const ways = await import('./sharing.js');
  await ways[way]();
}
