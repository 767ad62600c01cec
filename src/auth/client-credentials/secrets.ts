// The secrets of service accounts and applications. An owner has at most two live ones, so that a rotation needs no outage.
import { randomBytes } from 'node:crypto';
import type { ClientSecret as ClientSecretMessage } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { isId, newId } from '../../platform/db/ids.ts';
import type { Complete } from '../../platform/db/record.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { selectLiveSecrets } from './client-secret-list-store.ts';
import { insertClientSecret, setClientSecretEnd, type ClientSecret, type SecretTable } from './client-secret-store.ts';
import { refusal } from '../access/refusals.ts';

export { selectLiveSecrets, selectLiveSecretsOfAll } from './client-secret-list-store.ts';
export { ACCOUNT_SECRETS, APPLICATION_SECRETS, type ClientSecret } from './client-secret-store.ts';

const SECRET_BYTES = 32;
const MAX_LIVE_SECRETS = 2;

/** A service account or an application. */
export interface SecretOwner {
  readonly tenantId: string | undefined;
  readonly id: string;
}

/** A new secret: its value, which is shown only once, and its stored data. */
export interface IssuedSecret {
  readonly value: string;
  readonly secret: ClientSecret;
}

/** Throws CONFLICT if the owner has as many live secrets as it can have. Its row must be locked. */
export async function assertRoomForSecret(
  tx: Statements,
  table: SecretTable,
  owner: SecretOwner,
  now: number,
): Promise<void> {
  const live = await selectLiveSecrets(tx, table, owner, now);
  if (live.length < MAX_LIVE_SECRETS) return;
  const ends = live.map(({ expiresAt }) => expiresAt).filter((end) => end !== undefined);
  throw refusal('twoSecrets', ends.length === 0 ? {} : { until: new Date(Math.min(...ends)).toISOString() });
}

/** Creates a random secret. */
export async function issueSecret(
  tx: Statements,
  table: SecretTable,
  { tenantId, id: ownerId }: SecretOwner,
  { createdAt, expiresAt }: { readonly createdAt: number; readonly expiresAt?: number | undefined },
): Promise<IssuedSecret> {
  const value = randomBytes(SECRET_BYTES).toString('base64url');
  const secret = { id: newId(), tenantId, ownerId, createdAt, expiresAt, lastUsedAt: undefined };
  await insertClientSecret(tx, { ...secret, secret: value }, table);
  return { value, secret };
}

/** Sets the end of a live secret. Throws NOT_FOUND if there is none, or if it has ended. */
export async function expireSecret(
  tx: Statements,
  table: SecretTable,
  { tenantId, id: ownerId }: SecretOwner,
  { id, expiresAt, now }: { readonly id: string; readonly expiresAt: number; readonly now: number },
): Promise<void> {
  if (!(await setClientSecretEnd(tx, { tenantId, ownerId, id }, expiresAt, now, table)))
    throw new ServiceError('NOT_FOUND');
}

/** Ends all live secrets of an owner. */
export async function endSecrets(tx: Statements, table: SecretTable, owner: SecretOwner, now: number): Promise<void> {
  for (const { id } of await selectLiveSecrets(tx, table, owner, now))
    await expireSecret(tx, table, owner, { id, expiresAt: now, now });
}

/** Returns a live secret. Throws NOT_FOUND if it is not among them. */
export function findSecret(secrets: readonly ClientSecret[], id: string): ClientSecret {
  const secret = isId(id) ? secrets.find((live) => live.id === id) : undefined;
  if (!secret) throw new ServiceError('NOT_FOUND');
  return secret;
}

/** Converts a secret to its proto message. */
export function clientSecretMessage({ id, createdAt, expiresAt, lastUsedAt }: ClientSecret): ClientSecretMessage {
  return {
    id,
    createdAt: new Date(createdAt),
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
    lastUsedAt: lastUsedAt === undefined ? undefined : new Date(lastUsedAt),
  } satisfies Complete<ClientSecretMessage>;
}
