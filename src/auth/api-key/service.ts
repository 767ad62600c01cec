// API keys: their administration and their check. A key authenticates its service account.
import { ApiKeyServiceService } from '../../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../access/principal.ts';
import { apiKeyHandlers, type ApiKeyDependencies } from './api-keys.ts';

export function apiKeyService(dependencies: ApiKeyDependencies): Service<Principal> {
  return implement(ApiKeyServiceService, apiKeyHandlers(dependencies));
}
