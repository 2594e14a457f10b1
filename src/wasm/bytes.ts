/** A growing sequence of bytes with WebAssembly's encodings (core specification, section 5.2). */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #numbers: DataView<ArrayBuffer>;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
    this.#numbers = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes written so far; the next write may invalidate the view. */
  view(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  #room(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(2 * this.#bytes.length, this.#length + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.#numbers = new DataView(larger.buffer);
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#length++] = value;
  }

  bytes(values: ArrayLike<number>): void {
    this.#room(values.length);
    this.#bytes.set(values, this.#length);
    this.#length += values.length;
  }

  /** LEB128, unsigned 32 bits. */
  unsigned(value: number): void {
    this.#room(5);
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  /** LEB128, signed 32 bits (also right for a signed 64-bit constant of that range). */
  signed(value: number): void {
    this.#room(5);
    let rest = value | 0;
    for (;;) {
      const low = rest & 0x7f;
      rest >>= 7;
      if ((rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)) {
        this.#bytes[this.#length++] = low;
        return;
      }
      this.#bytes[this.#length++] = low | 0x80;
    }
  }

  float64(value: number): void {
    this.#room(8);
    this.#numbers.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** A name: its length in bytes, then UTF-8. */
  name(text: string): void {
    const encoded = new TextEncoder().encode(text);
    this.unsigned(encoded.length);
    this.bytes(encoded);
  }

  /** A section or body: its length, then its content. */
  sized(content: ByteWriter): void {
    this.unsigned(content.length);
    this.bytes(content.view());
  }
}
