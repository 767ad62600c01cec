import type { ApiKey as ApiKeyMessage } from '../../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import type { ApiKey } from './api-key-store.ts';

/** Converts a key to its proto message. */
export function apiKeyMessage(key: ApiKey): ApiKeyMessage {
  return {
    keyId: key.id,
    label: key.label,
    prefix: key.prefix,
    createdAt: new Date(key.createdAt),
    createdBy: key.createdBy,
    lastUsedAt: optionalDate(key.lastUsedAt),
    expiresAt: optionalDate(key.expiresAt),
  };
}

function optionalDate(time: number | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}
