// The providers against which the standard's own tests run.
import { DIAGONAL, ON_SQLITE, type DeploymentOptions } from '../deployment.ts';
import { ROUNDS } from '../rounds.ts';
import { openNodeOidcProvider } from './node-oidc-provider.ts';
import { openService } from './service.ts';
import type { Provider } from './provider.ts';

export interface ProviderCase {
  readonly name: string;
  open(): Promise<Provider>;
}

/** Shows whether a test is wrong, and nothing about this service: only in `npm run test:all`, and with TEST_ROUNDS=8. */
const SECOND: readonly ProviderCase[] =
  ROUNDS === 1 ? [] : [{ name: 'node-oidc-provider', open: openNodeOidcProvider }];

const caseOf = (kind: DeploymentOptions, profile = 'A'): ProviderCase => ({
  name: `${kind.engine} over ${kind.transport}${profile === 'B' ? ', Profile B' : ''}`,
  open: () => openService({ ...kind, settings: { 'app.security.auth-profile': profile } }),
});

export const PROVIDERS: readonly ProviderCase[] = [...DIAGONAL.map((kind) => caseOf(kind)), ...SECOND];

/** For clients, which do not see how the pages keep the session. */
export const PROVIDERS_OF_PROFILES: readonly ProviderCase[] = [
  ...DIAGONAL.map((kind, index) => caseOf(kind, index === 0 ? 'A' : 'B')),
  ...SECOND,
];

/** For requests and responses that no statement decides. */
export const PROVIDERS_ON_SQLITE: readonly ProviderCase[] = [...ON_SQLITE.map((kind) => caseOf(kind)), ...SECOND];
