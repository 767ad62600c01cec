import type { Answer } from './answer.ts';
import type { Line } from './line.ts';

/** Who asks: the administrator of the one tenant or the other's. */
export type By = 'own' | 'other';

/** One operation of either surface, as the walk sees it. */
export interface Operation<Request> {
  readonly surface: 'REST' | 'RPC';
  readonly name: string;
  /** Changes nothing, so that the records' owner can be asked too. */
  readonly safe: boolean;
  /** Where its request can name a record, as its description says: `items.productId`. */
  readonly ids: readonly string[];
  /** Undefined where nobody has described it. */
  readonly line: Line<Request> | undefined;
  /** Where two requests differ, in the terms of `ids`. */
  differences(one: Request, other: Request): readonly string[];
  send(request: Request, by: By): Promise<Answer>;
  /** The request in other forms, to which the record matters first too. */
  variants(request: Request): readonly Request[];
}
