import { bytesKey, createTable, flag, type Schema, time } from './schema/create-table.ts';

// Objects without a file: those in upload, which a file can still claim, and those marked for deletion (`doomed`), which no file
// can claim. The row is inserted before the object is written, and deleted after the object.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'file_objects', {
    columns: {
      object_key: bytesKey(255),
      tenant_id: bytesKey(63),
      doomed: flag,
      free_after: time,
    },
    primaryKey: ['object_key'],
    indexes: [['free_after']],
  });
}
