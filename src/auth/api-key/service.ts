// API keys: their administration and their check. A key authenticates its service account.
// Decides: whether a key is genuine and unexpired, and how far its permissions reach.
// States: a key is valid until it expires or is deleted.
// Tables: api_keys.
// Routes: /service-accounts/:id/api-keys, /service-accounts/:id/api-keys/:keyId.
import { ApiKeyServiceService } from '../../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../access/principal.ts';
import { apiKeyHandlers, type ApiKeyDependencies } from './api-keys.ts';

export function apiKeyService(dependencies: ApiKeyDependencies): Service<Principal> {
  return implement(ApiKeyServiceService, apiKeyHandlers(dependencies));
}
