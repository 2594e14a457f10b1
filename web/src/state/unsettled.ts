/** Runs that go on, or whose draws have not been kept and judged yet, by their ids. They outlive a change of the open project. */
export const unsettled = new Set<string>();
