import { addColumn, optional, type Schema, time } from './schema/create-table.ts';

// When and how the user of a session was authenticated last: `amr` has values of RFC 8176, separated by spaces. Sessions of the previous
// release were opened with a password at `created_at`, and its logins do not write the columns.
export async function up(schema: Schema): Promise<void> {
  await addColumn(schema, 'session_families', 'auth_time', optional(time));
  await addColumn(schema, 'session_families', 'amr', {
    mysql: "VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'pwd'",
    sqlite: "TEXT NOT NULL DEFAULT 'pwd'",
  });
}
