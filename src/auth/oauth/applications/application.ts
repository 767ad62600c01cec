// Applications that log in users of this service (OAuth 2.1 section 2). Types and pure functions.
import type { Scope } from '../scopes.ts';

/** WEB has a secret or keys. SPA, which runs in a browser, and NATIVE, which runs on a device, keep no secret. */
export type ApplicationType = 'WEB' | 'SPA' | 'NATIVE';

/** An authentication context class: `phr` by a passkey, `mfa` by two factors. */
export type Acr = 'mfa' | 'phr';

export interface Application {
  /** Undefined for an application that serves the accounts of all tenants that share applications. */
  readonly tenantId: string | undefined;
  /** UUIDv7. */
  readonly id: string;
  readonly clientId: string;
  readonly type: ApplicationType;
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The scopes that it can have. */
  readonly scopes: readonly Scope[];
  /** The audiences that it can ask for (RFC 8707). */
  readonly resources: readonly string[];
  /** Whether it needs no consent. */
  readonly firstParty: boolean;
  readonly requirePkce: boolean;
  readonly requirePar: boolean;
  /** The permission that its users need. */
  readonly requiredPermission: string | undefined;
  readonly requiredAcr: Acr | undefined;
  readonly disabled: boolean;
}
