import { ByteWriter } from './bytes.js';

/** The module with another custom section (core specification, section 5.5.3). */
export function withCustomSection(
  wasm: Uint8Array<ArrayBuffer>,
  name: string,
  content: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const section = new ByteWriter(content.length + 64);
  const text = new TextEncoder().encode(name);
  section.unsigned(text.length);
  section.bytes(text);
  section.bytes(content);
  const out = new ByteWriter(wasm.length + section.length + 16);
  out.bytes(wasm);
  out.byte(0);
  out.unsigned(section.length);
  out.bytes(section.view());
  return out.view().slice();
}
