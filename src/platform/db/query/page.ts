import type { Reader } from '../types.ts';

/** One page of a list. */
export interface Page {
  readonly page: number;
  readonly perPage: number;
  readonly offset: number;
  readonly reader: Reader;
}

/** One page of a list that can also be read from a position on. */
export interface CursorPage extends Page {
  /** The position before the page, instead of the offset. */
  readonly after: Position | undefined;
}

/** A place in a list: behind an item. */
export interface Position {
  /** The item's values of the columns that define the order. */
  readonly key: Key;
  /** Items up to here. */
  readonly offset: number;
  /** The number of items of the list when its first page was read. */
  readonly total: Total;
}

/** Numbers, and texts of texts and ids. */
export type Key = readonly (number | string)[];

/** The number of items of a list. */
export interface Total {
  readonly total: number;
  /** Whether there are more: counting stopped. */
  readonly isMinimum: boolean;
}

/** A page number leads past at most so many items of a list, because all keys before the page are read. */
export const MAX_SKIPPED = 1_000_000;

/** The items of a page of such a list. */
export interface Found<Item> extends Total {
  /** Whether the list has items behind MAX_SKIPPED, and the page is among them. It was not read. */
  readonly isTooFar?: true;
  readonly items: readonly Item[];
  /** The position behind the page; undefined on the last page. */
  readonly next: Position | undefined;
}
