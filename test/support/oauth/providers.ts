// The providers against which the standard's own tests run.
import { DIAGONAL } from '../deployment.ts';
import { openNodeOidcProvider } from './node-oidc-provider.ts';
import { openService } from './service.ts';
import type { Provider } from './provider.ts';

export interface ProviderCase {
  readonly name: string;
  open(): Promise<Provider>;
}

export const PROVIDERS: readonly ProviderCase[] = [
  ...DIAGONAL.map((kind) => ({ name: `${kind.engine} over ${kind.transport}`, open: () => openService(kind) })),
  { name: 'node-oidc-provider', open: openNodeOidcProvider },
];
