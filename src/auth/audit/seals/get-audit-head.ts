import type {
  GetAuditHeadRequest,
  GetAuditHeadResponse,
} from '../../../../proto/gen/authservice/audit/v1/audit_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { readerOf } from '../../../platform/rpc/paging.ts';
import type { Call } from '../../access/principal.ts';
import { readableScope } from '../trail/audit-filter.ts';
import { lastSeal, oldestUnsealed } from './seal-store.ts';
import { EVERY_TENANT } from '../statistics/statistics-store.ts';

export interface AuditHeadDependencies {
  readonly database: Database;
  readonly clock: Clock;
  /** Signs a JWT of a type by the signing key. */
  readonly sign: (type: string, claims: object) => Promise<string>;
  readonly issuer: string;
}

export const AUDIT_HEAD_TYPE = 'audit-head+jwt';

/** The last seal of a chain. */
export interface AuditHead {
  /** EVERY_TENANT for all tenants. */
  readonly tenant: string;
  /** Undefined if nothing is sealed yet. */
  readonly seal: { readonly number: number; readonly mac: Uint8Array; readonly sealedAt: number } | undefined;
}

/** Creates a function that returns a head as a JWS. */
export function createSignAuditHead({ clock, sign, issuer }: Omit<AuditHeadDependencies, 'database'>) {
  return ({ tenant, seal }: AuditHead): Promise<string> =>
    sign(AUDIT_HEAD_TYPE, {
      iss: issuer,
      iat: Math.floor(clock() / 1000),
      tenantId: tenant,
      number: seal?.number ?? 0,
      ...(seal && { mac: Buffer.from(seal.mac).toString('base64url'), sealed_at: Math.floor(seal.sealedAt / 1000) }),
    });
}

/** TenancyService.GetAuditHead. */
export function createGetAuditHead({ database, ...signing }: AuditHeadDependencies) {
  const signHead = createSignAuditHead(signing);

  return async ({ tenantId }: GetAuditHeadRequest, call: Call): Promise<GetAuditHeadResponse> => {
    const scope = readableScope(call.principal!, tenantId);
    const tenant = scope.everyTenant ? EVERY_TENANT : scope.tenantId!;
    const seal = await lastSeal(database, tenant);
    const unsealed = await oldestUnsealed(database, scope, readerOf(call));
    const jws = await signHead({ tenant, seal });
    return {
      head: {
        jws,
        number: seal?.number ?? 0,
        ...(seal && { sealedAt: new Date(seal.sealedAt) }),
        ...(unsealed !== undefined && { unsealedSince: new Date(unsealed) }),
      },
    };
  };
}
