// What readers of the order of audit records have seen during faults, and its check.

/** A sealed record. */
export interface StoredRecord {
  readonly id: string;
  readonly tenantId: string | undefined;
  readonly event: string;
}

/** What was written and read during a run. */
export interface AuditHistory {
  /** The records that the database has in the end, in their order. */
  readonly stored: readonly StoredRecord[];
  /** Ids of records whose commit was acknowledged. */
  readonly committed: readonly string[];
  readonly readers: readonly {
    readonly name: string;
    /** Undefined for one that reads the records of all tenants. */
    readonly tenantId: string | undefined;
    /** The ids of the records that it has read. A reader that lost its last records forgets their ids. */
    readonly ids: readonly string[];
    readonly resumptions: number;
  }[];
  /** The ids of deliveries by record, and the events that the webhook gets. */
  readonly webhook: {
    readonly events: readonly string[];
    readonly deliveries: ReadonlyMap<string, ReadonlySet<string>>;
  };
}

/** Returns each deviation from "each record exactly once, in order". */
export function checkAuditHistory({ stored, committed, readers, webhook }: AuditHistory): string[] {
  const known = new Set(stored.map(({ id }) => id));
  const lost = committed.filter((id) => !known.has(id)).map((id) => `record ${id} was committed and is lost`);
  const ofReaders = readers.flatMap(({ name, tenantId, ids }) => {
    const expected = stored.filter((record) => tenantId === undefined || record.tenantId === tenantId);
    return deviations(
      expected.map(({ id }) => id),
      ids,
    ).map((text) => `${name}: ${text}`);
  });
  const wanted = stored.filter(({ event }) => webhook.events.includes(event));
  const ofWebhook = wanted.flatMap(({ id }) => {
    const count = webhook.deliveries.get(id)?.size ?? 0;
    return count === 1 ? [] : [`webhook: record ${id} has ${count} deliveries`];
  });
  return [...lost, ...ofReaders, ...ofWebhook];
}

function deviations(expected: readonly string[], ids: readonly string[]): string[] {
  const seen = new Set(ids);
  const missing = expected.filter((id) => !seen.has(id));
  const all = new Set(expected);
  const foreign = [...seen].filter((id) => !all.has(id));
  const isInOrder = missing.length > 0 || expected.every((id, index) => ids[index] === id);
  return [
    ...(missing.length > 0
      ? [`${missing.length} of ${expected.length} records are missing, the first at ${expected.indexOf(missing[0]!)}`]
      : []),
    ...(foreign.length > 0 ? [`${foreign.length} records are not its own: ${foreign[0]}`] : []),
    ...(ids.length > seen.size ? [`${ids.length - seen.size} records came twice`] : []),
    ...(isInOrder ? [] : ['the order differs']),
  ];
}

/** Returns the numbers of a history, for the output. */
export function summaryOf({ stored, committed, readers, webhook }: AuditHistory): string {
  const resumptions = readers.reduce((sum, reader) => sum + reader.resumptions, 0);
  return (
    `${stored.length} records, ${committed.length} of them acknowledged to the test; ${readers.length} readers resumed ` +
    `${resumptions} times; ${webhook.deliveries.size} records sent`
  );
}
