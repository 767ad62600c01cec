import type { Database, Statements } from '../db/types.ts';
import { domainOfUsername } from '../formats/domain-name.ts';
import { lockAndFindDomainOwner } from './login-domain-store.ts';

/**
 * Whether a tenant may create this canonical username: false if it lies under a login domain of another tenant. In a
 * transaction, the result holds until it ends.
 */
export async function canClaimUsername(
  database: Database,
  tx: Statements,
  username: string,
  tenantId: string | undefined,
): Promise<boolean> {
  const domain = domainOfUsername(username);
  if (domain === undefined) return true;
  const owner = await lockAndFindDomainOwner(database, tx, domain);
  return owner === undefined || owner === tenantId;
}
