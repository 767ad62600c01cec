import type { GetLoginOptionsResponse } from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { FactorOptions } from '../../factors/decide-factors.ts';

export interface LoginOptionsDependencies {
  readonly serviceName: string;
  readonly factorOptions: Pick<FactorOptions, 'passkeys'>;
  /** Whether mails can be sent. */
  readonly mail: boolean;
  /** Whether API keys are accepted. */
  readonly apiKeys: boolean;
}

/** SessionService.GetLoginOptions. */
export function createGetLoginOptions({ serviceName, factorOptions, mail, apiKeys }: LoginOptionsDependencies) {
  const { passkeys } = factorOptions;
  const options: GetLoginOptionsResponse = { name: serviceName, passkeys, recovery: mail, apiKeys };
  return async () => options;
}
