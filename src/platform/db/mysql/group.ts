// Inserts rows of concurrent calls in one statement, which commits by itself.
import type { Deadline } from '../../clock.ts';
import type { Tracer } from '../../tracing/tracer.ts';
import { DatabaseError, hadNoEffect, unavailable } from '../errors.ts';
import { type Member, createGroupCommit, takeLive } from '../group-commit.ts';
import type { Insertion, ServerTime, SqlValue } from '../types.ts';

/** Maximum rows of a statement. Each number of rows is one more prepared statement on each connection. */
const MAX_GROUP = 64;

export function createInsertionGroups(options: {
  /** SQL condition with one `?` that is true before a deadline. */
  readonly guard: string;
  /** Returns the value for the guard. */
  readonly deadlineValue: (deadline: Pick<Deadline, 'at'>) => ServerTime;
  /** Whether the guard is already false. */
  readonly hasPassed: (limit: ServerTime) => boolean;
  /** Runs one prepared statement on any connection. */
  readonly run: (sql: string, values: readonly SqlValue[]) => Promise<unknown>;
  readonly tracer?: Tracer | undefined;
}) {
  const { guard, deadlineValue, hasPassed, run, tracer } = options;

  /** Inserts rows of one kind in one statement. If it is refused, inserts them one by one, so that each fails alone. */
  async function insertKind(members: readonly Member<Insertion>[]): Promise<void> {
    const limit = deadlineValue({ at: Math.min(...members.map(({ deadline }) => deadline.at)) });
    const rows = members.map(({ write }) => write);
    const { sql, values } = insertTogether(rows, guard, limit);
    try {
      await run(sql, values);
      for (const { resolve } of members) resolve(1);
    } catch (error) {
      if (members.length > 1 && hadNoEffect(error)) {
        for (const member of takeLive(members)) await insertKind([member]);
        return;
      }
      // A statement without a response may have run, so it is never repeated.
      const isLate = members.length === 1 && error instanceof DatabaseError && hasPassed(limit);
      for (const { reject } of members) reject(isLate ? unavailable('the deadline of the call has passed') : error);
    }
  }

  return createGroupCommit<Insertion>({
    maxMembers: MAX_GROUP,
    tracer,
    async commit(members) {
      const kinds = Map.groupBy(members, ({ write: { into, row } }) => `${into} ${row}`);
      for (const kind of kinds.values()) await insertKind(kind);
    },
  });
}

const VALUES = 'VALUES ';

/**
 * Builds one statement that inserts all rows of one kind or none. After the deadline it inserts none: the first column
 * gets NULL, which it refuses.
 */
function insertTogether(
  rows: readonly Insertion[],
  guard: string,
  limit: ServerTime,
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const { into, row } = rows[0]!;
  // The first row carries the guard for all rows, at no cost for the others.
  const guarded = row.replace('?', `IF(${guard}, ?, NULL)`);
  const tuple = row.slice(VALUES.length);
  const sql = `INSERT INTO ${into} ${[guarded, ...rows.slice(1).map(() => tuple)].join(', ')}`;
  return { sql, values: [limit, ...rows.flatMap(({ values }) => values)] };
}
