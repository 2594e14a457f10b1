/** Types of messages: keys, and the arguments that each message takes. */
import type { GetICUArgs } from '@schummar/icu-type-parser';
import type { TermName } from '../terms/term-names.js';
import type { english } from './en/index.js';

type Catalog = typeof english;

/** The messages of a translation, with areas and names of the English catalog. English replaces messages that it lacks. */
export type Translation = { readonly [Area in keyof Catalog]?: { readonly [Name in keyof Catalog[Area]]?: string } };

/** Descriptions of functions and their arguments. */
export interface Descriptions {
  /** By the last part of the function's name. */
  readonly functions: Readonly<Record<string, string>>;
  /** By the argument's name; by `function.argument` if functions have different arguments of that name. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** Sentences on terms in a translation. English replaces sentences that it lacks. */
export type TranslatedExplanations = Readonly<
  Partial<Record<TermName, readonly [string | undefined, string | undefined, string | undefined]>>
>;

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

/**
 * The type of a translation. If English has no message of a key, or one with other arguments or tags, it is that key, which the error shows.
 */
export type Consistent<Words extends Translation> = [Mismatch<Words>] extends [never] ? Words : Mismatch<Words>;

/** Keys of a translation's messages that do not fit the English ones. */
type Mismatch<Words extends Translation> = {
  [Area in keyof Words & string]: {
    [Name in keyof Words[Area] & string]: Fits<Words[Area][Name], Area, Name> extends true ? never : `${Area}.${Name}`;
  }[keyof Words[Area] & string];
}[keyof Words & string];

type Fits<Message, Area, Name> = Area extends keyof Catalog
  ? Name extends keyof Catalog[Area]
    ? IsSame<Names<Message & string>, Names<Catalog[Area][Name] & string>>
    : false
  : false;
