/** Types of messages: keys, and the arguments that each message takes. */
import type { GetICUArgs } from '@schummar/icu-type-parser';
import type { english } from './en/index.js';

type Catalog = typeof english;

/** The messages of a translation: the same areas and names as in English. */
export type Translation = { readonly [Area in keyof Catalog]: { readonly [Name in keyof Catalog[Area]]: string } };

/** Descriptions of functions and their arguments. */
export interface Descriptions {
  /** By the last part of the function's name. */
  readonly functions: Readonly<Record<string, string>>;
  /** By the argument's name; by `function.argument` if functions have different arguments of that name. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** A message's key, `area.name`. */
export type Key = { [Area in keyof Catalog]: `${Area}.${keyof Catalog[Area] & string}` }[keyof Catalog];

type MessageOf<K extends Key> = K extends `${infer Area extends keyof Catalog}.${infer Name}`
  ? Name extends keyof Catalog[Area]
    ? Catalog[Area][Name]
    : never
  : never;

/** The names of a message's tags, such as `code` in `<code>mu</code>`. */
type Tag<Message> = Message extends `${string}</${infer Name}>${infer Rest}` ? Name | Tag<Rest> : never;

type Arguments<Message extends string, Value> = GetICUArgs<
  Message,
  { ICUArgument: Value; ICUNumberArgument: number; ICUDateArgument: Date }
>;

/** The parameters after a message's key: an object with its arguments; none if it has no arguments. */
export type Given<K extends Key, Value> = keyof Arguments<MessageOf<K>, Value> extends never
  ? []
  : [values: Arguments<MessageOf<K>, Value>];

/** Keys of messages without arguments and tags. */
export type PlainKey = {
  [K in Key]: Given<K, string> extends [] ? (Tag<MessageOf<K>> extends never ? K : never) : never;
}[Key];

/** Keys of messages without tags, which are plain text. */
export type TextKey = { [K in Key]: Tag<MessageOf<K>> extends never ? K : never }[Key];

type Names<Message extends string> = `{${keyof GetICUArgs<Message> & string}}` | `<${Tag<Message>}>`;

type IsSame<A, B> = [A, B] extends [B, A] ? true : false;

/** The type of a complete translation. If a message has other arguments or tags than in English, it is the message's key, which the error shows. */
export type Complete<Words extends Translation> = [Mismatch<Words>] extends [never] ? Words : Mismatch<Words>;

/** Keys of a translation's messages whose arguments or tags differ from those of the English message. */
type Mismatch<Words extends Translation> = {
  [Area in keyof Catalog]: {
    [Name in keyof Catalog[Area]]: IsSame<
      Names<Words[Area][Name & keyof Words[Area]] & string>,
      Names<Catalog[Area][Name] & string>
    > extends true
      ? never
      : `${Area}.${Name & string}`;
  }[keyof Catalog[Area]];
}[keyof Catalog];
