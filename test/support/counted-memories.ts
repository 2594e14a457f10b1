/** The number of WebAssembly memories that an action makes. */
export function memoriesOf(action: () => void): number {
  const { Memory } = WebAssembly;
  let count = 0;
  WebAssembly.Memory = class extends Memory {
    constructor(...given: ConstructorParameters<typeof Memory>) {
      super(...given);
      count++;
    }
  };
  try {
    action();
  } finally {
    WebAssembly.Memory = Memory;
  }
  return count;
}
