// The providers against which the standard's own tests run.
import { DIAGONAL, ON_SQLITE, type DeploymentOptions } from '../deployment.ts';
import { openNodeOidcProvider } from './node-oidc-provider.ts';
import { openService } from './service.ts';
import type { Provider } from './provider.ts';

export interface ProviderCase {
  readonly name: string;
  open(): Promise<Provider>;
}

const SECOND: ProviderCase = { name: 'node-oidc-provider', open: openNodeOidcProvider };

const caseOf = (kind: DeploymentOptions): ProviderCase => ({
  name: `${kind.engine} over ${kind.transport}`,
  open: () => openService(kind),
});

export const PROVIDERS: readonly ProviderCase[] = [...DIAGONAL.map(caseOf), SECOND];

/** For requests and responses that no statement decides. */
export const PROVIDERS_ON_SQLITE: readonly ProviderCase[] = [...ON_SQLITE.map(caseOf), SECOND];
