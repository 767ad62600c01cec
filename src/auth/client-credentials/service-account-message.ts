import type {
  ClientSecret as ClientSecretMessage,
  ServiceAccount as ServiceAccountMessage,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import type { Account } from '../principal/account.ts';
import type { LiveSecret } from './client-secret-list-store.ts';

/** Converts a service account and its live secrets to proto messages. */
export function serviceAccountMessage(account: Account, secrets: readonly LiveSecret[]): ServiceAccountMessage {
  const { id, username, name, tenantId, roles, disabled, createdAt } = account;
  return {
    id,
    clientId: username,
    name,
    ...(tenantId !== undefined && { tenantId }),
    roles: [...roles],
    disabled,
    createdAt: new Date(createdAt),
    secrets: secrets.map(clientSecretMessage),
  };
}

export function clientSecretMessage({ id, createdAt, expiresAt, lastUsedAt }: LiveSecret): ClientSecretMessage {
  return {
    id,
    createdAt: new Date(createdAt),
    ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
    ...(lastUsedAt !== undefined && { lastUsedAt: new Date(lastUsedAt) }),
  };
}
