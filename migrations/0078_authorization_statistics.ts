import { addColumn, longText, optional, type Schema } from './schema/create-table.ts';

// A JSON object with the number of authorizations by client id, and those of further applications by ''. Null in rows of programs before
// this migration.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'login_statistics', 'authorizations', optional(longText));
}
