import { bytesKey, createTable, type Schema, time } from './schema/create-table.ts';

// The tenant that owns a login domain. A domain has at most one owner, so it is the primary key. The row with the empty domain is a
// lock without an owner: transactions that create usernames lock it shared, those that change owners lock it exclusively.
export async function up(schema: Schema): Promise<void> {
  await createTable(schema, 'login_domains', {
    columns: {
      domain: bytesKey(253),
      tenant_id: bytesKey(63),
      created_at: time,
    },
    primaryKey: ['domain'],
    indexes: [['tenant_id', 'domain']],
  });
  const none = Buffer.alloc(0);
  const rows = await schema.query('SELECT domain FROM login_domains WHERE domain = ?', [none]);
  if (rows.length > 0) return;
  await schema.execute('INSERT INTO login_domains (domain, tenant_id, created_at) VALUES (?, ?, ?)', [
    none,
    none,
    Date.now(),
  ]);
}
