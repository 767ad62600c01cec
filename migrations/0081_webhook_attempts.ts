import { addColumn, longText, optional, replaceIndexes, type Schema, time } from './schema/create-table.ts';

// What administrators see of the deliveries of webhooks. `attempts_log` has the newest attempts of a delivery, a line of JSON each; NULL
// before the first one, and of applications. A queue knows its last success, since when it fails, and when administrators were told by mail.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'webhook_deliveries', 'attempts_log', optional(longText));
  for (const column of ['last_success_at', 'failing_since', 'failure_told_at'])
    await addColumn(schema, 'webhook_queues', column, optional(time));
  await replaceIndexes(schema, 'webhook_queues', { add: [{ columns: ['failing_since'], onlyGiven: true }] });
}
