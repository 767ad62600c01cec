import { addColumn, blob, optional, type Schema, time } from './schema/create-table.ts';

// The secret before the previous one signs until `older_until`, so that two replacements within a day need no outage of a receiver.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'webhooks', 'older_secret', optional(blob));
  await addColumn(schema, 'webhooks', 'older_until', optional(time));
}
