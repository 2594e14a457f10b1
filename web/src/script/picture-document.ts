/**
 * The part of the Document Object Model with which Observable Plot builds pictures. Workers have no document, and a library for the
 * whole model is many times larger. Selectors are names of elements.
 */
const XHTML = 'http://www.w3.org/1999/xhtml';

/** Elements without content. */
const VOID: ReadonlySet<string> = new Set(['br', 'img', 'input']);

export class PictureElement {
  readonly tagName: string;
  readonly localName: string;
  readonly namespaceURI: string;
  readonly ownerDocument: PictureDocument;
  readonly children: (PictureElement | PictureText)[] = [];
  readonly attributes = new Map<string, string>();
  readonly style: { setProperty(name: string, value: string): void; removeProperty(name: string): void };
  readonly classList: { add(...names: string[]): void; contains(name: string): boolean };
  parentNode: PictureElement | null = null;
  /** Plots keep functions and values here. */
  [property: string | symbol]: unknown;

  constructor(ownerDocument: PictureDocument, namespaceURI: string, localName: string) {
    this.ownerDocument = ownerDocument;
    this.namespaceURI = namespaceURI;
    this.localName = localName;
    this.tagName = localName;
    const styles = new Map<string, string>();
    const write = () => this.setAttribute('style', [...styles].map(([name, value]) => `${name}: ${value}`).join('; '));
    this.style = {
      setProperty: (name, value) => {
        styles.set(name, `${value}`);
        write();
      },
      removeProperty: (name) => {
        styles.delete(name);
        write();
      },
    };
    const classes = () => (this.getAttribute('class') ?? '').split(' ').filter((name) => name !== '');
    this.classList = {
      add: (...names) => this.setAttribute('class', [...new Set([...classes(), ...names])].join(' ')),
      contains: (name) => classes().includes(name),
    };
  }

  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, `${value}`);
  }

  setAttributeNS(_namespace: string | null, name: string, value: unknown): void {
    this.setAttribute(name, value);
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }

  hasAttribute(name: string): boolean {
    return this.attributes.has(name);
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  get childNodes(): readonly (PictureElement | PictureText)[] {
    return this.children;
  }

  get firstChild(): PictureElement | PictureText | null {
    return this.children[0] ?? null;
  }

  get nextSibling(): PictureElement | PictureText | null {
    const siblings = this.parentNode?.children ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  appendChild<Node extends PictureElement | PictureText>(child: Node): Node {
    return this.insertBefore(child, null);
  }

  insertBefore<Node extends PictureElement | PictureText>(
    child: Node,
    next: PictureElement | PictureText | null,
  ): Node {
    child.parentNode?.removeChild(child);
    const place = next === null ? this.children.length : this.children.indexOf(next);
    this.children.splice(place, 0, child);
    child.parentNode = this;
    return child;
  }

  append(...added: readonly (PictureElement | PictureText | string)[]): void {
    for (const each of added) this.appendChild(typeof each === 'string' ? new PictureText(each) : each);
  }

  removeChild<Node extends PictureElement | PictureText>(child: Node): Node {
    const place = this.children.indexOf(child);
    if (place >= 0) this.children.splice(place, 1);
    child.parentNode = null;
    return child;
  }

  remove(): void {
    this.parentNode?.removeChild(this);
  }

  replaceWith(...others: readonly (PictureElement | PictureText)[]): void {
    const { parentNode } = this;
    for (const other of others) parentNode?.insertBefore(other, this);
    this.remove();
  }

  cloneNode(isDeep = false): PictureElement {
    const copy = new PictureElement(this.ownerDocument, this.namespaceURI, this.localName);
    for (const [name, value] of this.attributes) copy.setAttribute(name, value);
    if (isDeep)
      for (const child of this.children)
        copy.appendChild(child instanceof PictureText ? new PictureText(child.text) : child.cloneNode(true));
    return copy;
  }

  get textContent(): string {
    return this.children.map((child) => (child instanceof PictureText ? child.text : child.textContent)).join('');
  }

  set textContent(text: string) {
    this.children.splice(0);
    if (text !== '' && text !== null) this.append(`${text}`);
  }

  querySelectorAll(name: string): PictureElement[] {
    return this.children.flatMap((child) =>
      child instanceof PictureText
        ? []
        : [...(child.localName === name ? [child] : []), ...child.querySelectorAll(name)],
    );
  }

  querySelector(name: string): PictureElement | null {
    return this.querySelectorAll(name)[0] ?? null;
  }

  addEventListener(): void {
    // Pictures have no events.
  }

  removeEventListener(): void {
    // Pictures have no events.
  }

  dispatchEvent(): boolean {
    return true;
  }

  /** The element as XML. */
  get outerHTML(): string {
    const { localName, attributes, children, parentNode, namespaceURI } = this;
    const isRoot = parentNode?.namespaceURI !== namespaceURI && !attributes.has('xmlns');
    const own = isRoot ? [['xmlns', namespaceURI], ...attributes] : [...attributes];
    const start = [localName, ...own.map(([name = '', value = '']) => `${name}="${escaped(value)}"`)].join(' ');
    if (VOID.has(localName)) return `<${start}/>`;
    return `<${start}>${children.map((child) => child.outerHTML).join('')}</${localName}>`;
  }
}

export class PictureText {
  readonly text: string;
  parentNode: PictureElement | null = null;

  constructor(text: string) {
    this.text = text;
  }

  get nextSibling(): PictureElement | PictureText | null {
    const siblings = this.parentNode?.children ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  get outerHTML(): string {
    return escaped(this.text);
  }
}

export class PictureDocument {
  /** Plots report the data under the pointer by events. */
  readonly defaultView = { Event: class {}, CustomEvent: class {} };
  readonly documentElement = new PictureElement(this, XHTML, 'html');
  /** The message about pictures that are painted. */
  readonly #noCanvas: string;

  constructor(noCanvas: string) {
    this.#noCanvas = noCanvas;
  }

  createElement(name: string): PictureElement {
    if (name === 'canvas') throw new Error(this.#noCanvas);
    return new PictureElement(this, XHTML, name);
  }

  createElementNS(namespace: string, name: string): PictureElement {
    return new PictureElement(this, namespace, name);
  }

  createTextNode(text: string): PictureText {
    return new PictureText(text);
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
