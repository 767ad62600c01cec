import { bytesKey, createTable, type Schema, time } from './schema/create-table.ts';

// Which tenant owns a login domain; a domain has one owner at most, so it is the whole key. The row with the empty domain belongs
// to nobody: transactions that create usernames lock it shared, those that change owners lock it exclusively.
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
