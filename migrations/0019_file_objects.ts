import { bytesKey, createTable, flag, type Schema, time } from './schema/create-table.ts';

// Objects that no file names: those that are about to be written, which a file may still claim, and those that are marked for
// deletion (`doomed`), which none can. The row is written before the object and deleted after it.
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
