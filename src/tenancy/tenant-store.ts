import type { Statements } from '../db/types.ts';
import type { Tenant, TenantStatus } from './tenant.ts';

/** Adds a tenant. Rejects with DatabaseError `duplicate` where the id is taken. */
export async function insertTenant(db: Statements, tenant: Tenant): Promise<void> {
  await db.execute('INSERT INTO tenants (id, name, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?)', [
    Buffer.from(tenant.id),
    tenant.name,
    tenant.status,
    tenant.createdAt,
    tenant.createdAt,
  ]);
}

export async function tenantExists(db: Statements, id: string): Promise<boolean> {
  return (await db.query('SELECT 1 AS one FROM tenants WHERE id = ?', [Buffer.from(id)])).length > 0;
}

export async function updateTenantStatus(
  db: Statements,
  id: string,
  status: TenantStatus,
  now: number,
): Promise<boolean> {
  return (
    (await db.execute('UPDATE tenants SET status = ?, updated_at = ? WHERE id = ?', [status, now, Buffer.from(id)])) > 0
  );
}
