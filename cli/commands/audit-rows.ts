// Audit records as a person reads them: who did what to whom, from where.
import { ClientCredentialsServiceService } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { Core } from '../core/core.ts';
import { printable } from '../terminal/escape.ts';
import { timeText } from '../terminal/render.ts';
import type { auditRecord } from './records.ts';

export const AUDIT_COLUMNS = ['time', 'event', 'subject', 'actor', 'address', 'details', 'tenant'] as const;

type Shown = ReturnType<typeof auditRecord>;
type TextColumn = Exclude<(typeof AUDIT_COLUMNS)[number], 'time'>;
export type AuditRow = Readonly<Record<TextColumn, string | undefined>> & { readonly time: Date | undefined };
export type ToRow = (record: Shown) => Promise<AuditRow>;

/** Creates a function that shows records. It asks the core once for the name of each actor. */
export function createAuditRows(core: Core): ToRow {
  const names = new Map<string, Promise<string>>();
  const nameOf = (id: string): Promise<string> => {
    const known = names.get(id) ?? findName(core, id);
    names.set(id, known);
    return known;
  };
  return async ({ at, event, username, accountId, actorId, clientAddress, tenantId, details }) => {
    const { actor, reason, ...others } = details as Readonly<Record<string, string | number>>;
    const named = Object.entries(others).map(([name, value]) => `${name}=${value}`);
    return {
      time: at,
      event,
      subject: username ?? accountId,
      actor: actorId === undefined ? actor?.toString() : await nameOf(actorId),
      address: clientAddress,
      // The reason of a refusal needs no name.
      details: [...(reason === undefined ? [] : [reason]), ...named].join(' ') || undefined,
      tenant: tenantId,
    };
  };
}

/** Formats a row for `audit tail`. */
export function auditLine({ time, event, subject = '-', ...others }: AuditRow): string {
  const { details, ...named } = others;
  const fields = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  const when = time === undefined ? '-' : timeText(time);
  return `${printable([when, event, subject, ...fields, ...(details === undefined ? [] : [details])].join(' '))}\n`;
}

/** The username or client id of an account. The id if the account is deleted or in another tenant. */
async function findName(core: Core, id: string): Promise<string> {
  try {
    const { user } = await core.client(IdentityServiceService).getUser({ userId: id });
    return user!.account!.username;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
  }
  try {
    const { serviceAccount } = await core
      .client(ClientCredentialsServiceService)
      .getServiceAccount({ serviceAccountId: id });
    return serviceAccount!.clientId;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return id;
  }
}
