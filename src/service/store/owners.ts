/**
 * Owners of fits and operations. With named tokens, identifiers begin with a hash of the name of the token that created
 * them, so records do not contain owners. Whoever sends another token receives the responses for missing resources.
 */
import { currentOwner } from './client.js';
import { identifierOf } from './identifiers.js';

/** A token of a server whose clients have their own fits and operations. */
export interface NamedToken {
  readonly name: string;
  readonly token: string;
  /** Maximum number of operations of this token that wait for a worker. */
  readonly maxQueue?: number;
}

/** Characters of an identifier: 40 bits, of which the number of tokens is a tiny part. */
const MARK_LENGTH = 8;

export class Owners {
  /** Whether fits and operations have owners. */
  readonly areNamed: boolean;
  private readonly byMark: ReadonlyMap<string, NamedToken>;

  /** Without tokens, everything belongs to everybody. */
  constructor(tokens: readonly NamedToken[] | undefined) {
    this.areNamed = tokens !== undefined;
    this.byMark = new Map(tokens?.map((each) => [markOf(each.name), each]));
    if (this.byMark.size !== (tokens?.length ?? 0))
      throw new Error('Two tokens have the same name or hash: rename one.');
  }

  /** The identifier of a resource that the current client creates, from an identifier of its contents. */
  own(id: string): string {
    return this.areNamed ? withMark(this.currentMark(), id) : id;
  }

  /** The identifier of a resource that belongs to the owner of another one. */
  ofSameOwner(other: string, id: string): string {
    return this.areNamed ? withMark(other.slice(0, MARK_LENGTH), id) : id;
  }

  /** Returns a function that decides whether the current client can use a resource. */
  sight(): (id: string) => boolean {
    if (!this.areNamed) return () => true;
    const mark = this.currentMark();
    return (id) => id.startsWith(mark);
  }

  /** Whether the current client can use the resource with this identifier. */
  sees(id: string): boolean {
    return this.sight()(id);
  }

  /** The name of the owner of a resource; undefined without an owner, or if its token no longer exists. */
  nameOf(id: string): string | undefined {
    return this.byMark.get(id.slice(0, MARK_LENGTH))?.name;
  }

  /** Maximum number of waiting operations of the current client. */
  maxQueue(): number {
    if (!this.areNamed) return Number.POSITIVE_INFINITY;
    return this.byMark.get(this.currentMark())?.maxQueue ?? Number.POSITIVE_INFINITY;
  }

  /** Throws outside of requests with a named token, so that a defect cannot reveal resources of others. */
  private currentMark(): string {
    const name = currentOwner();
    if (name === undefined) throw new Error('A resource with an owner was used without a named token.');
    return markOf(name);
  }
}

function markOf(name: string): string {
  return identifierOf('owner', name).slice(0, MARK_LENGTH);
}

function withMark(mark: string, id: string): string {
  return mark + id.slice(MARK_LENGTH);
}
