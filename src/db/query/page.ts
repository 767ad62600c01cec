/** One page of a list. */
export interface Page {
  readonly page: number;
  readonly perPage: number;
  readonly offset: number;
}
