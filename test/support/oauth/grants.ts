// Grants of tests.
import type { Account } from '../../../src/auth/access/account.ts';
import type { Application } from '../../../src/auth/oauth/applications/application.ts';
import type { Grant } from '../../../src/auth/oauth/grants/grant-store.ts';
import { newSelector } from '../../../src/auth/oauth/grants/refresh-token.ts';
import { newId } from '../../../src/platform/db/ids.ts';

const MINUTE_MS = 60_000;

/** Returns a grant for a minute that outlives its session. */
export function offlineGrant(
  { tenantId, id: accountId }: Account,
  application: Application,
  now: number,
  sessionId: string = newId(),
): Grant {
  return {
    id: newId(),
    tenantId,
    accountId,
    applicationTenant: application.tenantId,
    applicationId: application.id,
    sessionId,
    offline: true,
    scopes: ['openid', 'offline_access'],
    resource: undefined,
    authenticatedAt: now,
    methods: ['pwd'],
    network: '127.0.0.1',
    userAgent: undefined,
    selector: newSelector(),
    generation: 1,
    rotatedAt: undefined,
    stepScopes: ['openid'],
    previousStepScopes: ['openid'],
    createdAt: now,
    lastUsedAt: now,
    idleExpiresAt: now + MINUTE_MS,
    accessExpiresAt: now + MINUTE_MS,
    revokedAt: undefined,
  };
}
