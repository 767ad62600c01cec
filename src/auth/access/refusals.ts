// Refusals that administrators meet: a stable code, its parameters, and the English sentence that is made of them. The console has texts of
// its own for the codes.
import { ServiceError, type ReasonName, type Violation } from '../../platform/errors.ts';
import { fillTemplate, type ParameterOf } from '../../platform/template.ts';
import { finding, type FindingCode } from './findings.ts';

type Value = string | number | readonly string[];
export type RefusalParams = Readonly<Record<string, Value>>;

interface Refusal {
  readonly text: string;
  /** The sentence if a parameter of `text` is missing or empty. */
  readonly otherwise?: string;
  /** The field of the request that it concerns. */
  readonly props?: readonly string[];
  /** Default: CONFLICT. */
  readonly reason?: ReasonName;
  /** Whether only maximal disclosure shows the sentence as the error's message. */
  readonly isDetail?: boolean;
}

const DENIED = { reason: 'PERMISSION_DENIED', isDetail: true } as const;
const NOT_ELIGIBLE = { reason: 'PRINCIPAL_NOT_ELIGIBLE', isDetail: true } as const;

/** By the code, which is the `format` of the violation. */
export const REFUSALS = {
  // Users and service accounts.
  usernameTaken: { text: 'The username is taken', props: ['username'] },
  clientIdTaken: { text: 'The client id is taken', props: ['clientId'] },
  ownAccount: { text: 'An account cannot {act} itself' },
  lastSuperAdmin: { text: 'The last active SUPER_ADMIN must stay' },
  userChanged: { text: 'The user was changed at the same time; try again' },
  userHasPassword: { text: 'The user has a password already' },
  userHasNoPassword: { text: 'The user has no password; invite it' },
  userHasNoEmail: { text: 'The user has no e-mail address' },
  userHasNoFactor: { text: 'The user has no second factor' },
  userCannotLogIn: { text: 'The user cannot log in: {finding}' },
  superAdminNotInvited: { text: 'A SUPER_ADMIN cannot be invited by mail' },
  superAdminNotRecovered: { text: 'A SUPER_ADMIN cannot be recovered by mail' },
  recoveryOff: { text: 'The policy of the tenant allows no recovery by mail' },
  tenantMissing: { text: 'The service account has no tenant, and app.tenancy.isolation is true' },
  passwordOfServiceAccount: { text: 'a service account has no password', ...NOT_ELIGIBLE },
  apiKeyOfUser: { text: 'only a service account may hold API keys', ...NOT_ELIGIBLE },
  accountHoldsMore: {
    text: 'The account holds permissions that you lack: {permissions}',
    otherwise: 'The account holds permissions that you lack',
    reason: 'PERMISSION_DENIED',
  },
  resourceServer: { text: 'only a SUPER_ADMIN may change a resource server', ...DENIED },

  // Secrets, keys and second factors.
  twoSecrets: {
    text: 'Two secrets exist already; one ends at {until}',
    otherwise: 'Two secrets exist already; end one first',
  },
  apiKeysOff: { text: 'API keys are switched off: app.security.api-key.enabled is false' },
  idTokensOff: { text: 'There are no keys of ID tokens: app.oauth.enabled is false' },
  signingKeyWaits: { text: 'A new key signs from {until}; until then no other can be added' },
  signingKeyAdded: { text: 'Another signing key was added at the same time' },
  lastFactor: { text: 'Your tenant requires a second factor, and this is your last one' },
  factorMissing: { text: 'Recovery codes need a TOTP or a passkey' },
  passkeyRegistered: { text: 'The passkey is registered already' },
  tooManyPasskeys: { text: 'An account can have {maximum} passkeys' },
  totpNotPending: { text: 'There is no TOTP to confirm, or its time is over' },

  // Roles.
  roleNameTaken: { text: 'The name is taken', props: ['name'] },
  roleBuiltIn: { text: 'A built-in role cannot be changed' },
  roleHeld: { text: 'An account holds the role' },
  roleInherited: { text: 'Another role inherits the role' },
  roleExceedsAccount: { text: 'An account would hold too many roles or own permissions' },
  roleExceedsTenant: { text: 'A tenant has roles with which this role would exceed a limit' },
  roleOfEveryTenant: { text: 'the role is for every tenant', ...DENIED },
  roleNotGrantable: { text: 'You cannot grant the role {role}', props: ['roles'], reason: 'PERMISSION_DENIED' },
  roleHoldsMore: {
    text: 'The role has permissions that you lack: {permissions}',
    otherwise: 'The role has permissions that you lack',
    reason: 'PERMISSION_DENIED',
  },
  tooManyRoles: { text: '{maximum} roles exist' },

  // Tenants, applications and webhooks.
  tenantIdTaken: { text: 'The tenant id is taken', props: ['tenantId'] },
  loginDomainTaken: { text: 'Another tenant owns the login domain {domain}', props: ['loginDomains'] },
  tooManyApplications: { text: '{maximum} applications exist already; delete one first' },
  applicationWithoutSecret: { text: 'The application authenticates without a secret' },
  logoutUriMissing: { text: 'The application has no backchannelLogoutUri; set it first' },
  applicationOfEveryTenant: { text: 'the application is for all tenants', ...DENIED },
  applicationOfService: { text: 'the application is a part of this service', ...DENIED },
  applicationTrusted: {
    text: 'only a SUPER_ADMIN has applications without consent, or with the audience of this service',
    ...DENIED,
  },
  tooManyWebhooks: { text: '{maximum} webhooks exist already; delete one first' },
  webhookDisabled: { text: 'The webhook is disabled; enable it first' },
  webhookNeedsAudit: { text: 'webhooks need PERMISSION_READ_AUDIT too', ...DENIED },
} as const satisfies Readonly<Record<string, Refusal>>;

export type RefusalCode = keyof typeof REFUSALS;

/** The parameters that a code always has. */
type RequiredOf<Code extends RefusalCode> = (typeof REFUSALS)[Code] extends { readonly otherwise: string }
  ? never
  : ParameterOf<(typeof REFUSALS)[Code]['text']>;

interface RefusalOptions {
  /** The field of the request, where it is not always the same. */
  readonly props?: readonly string[];
  readonly cause?: unknown;
}

/** Creates the error of a refusal, with one violation that has its code and parameters. Parameters can be more than those of the sentence. */
export function refusal<Code extends RefusalCode>(
  code: Code,
  ...[params, options = {}]: [RequiredOf<Code>] extends [never]
    ? [RefusalParams?, RefusalOptions?]
    : [RefusalParams & Readonly<Record<RequiredOf<Code>, Value>>, RefusalOptions?]
): ServiceError {
  const { reason = 'CONFLICT', isDetail = false, props: field }: Refusal = REFUSALS[code];
  const { props = field, cause } = options;
  const message = sentenceOf(REFUSALS[code], params ?? {});
  const violation: Violation = { message, format: code, ...(props && { props }), ...(params && { params }) };
  const shown = isDetail ? { detail: message } : { publicMessage: message };
  return new ServiceError(reason, { ...shown, violations: [violation], cause });
}

/** Returns the parameters of `userCannotLogIn`: the code of the finding, and its own. */
export function findingParams({ code, params }: { readonly code: FindingCode; readonly params: RefusalParams }) {
  return { ...params, finding: code };
}

function sentenceOf({ text, otherwise }: Refusal, params: RefusalParams): string {
  const texts = new Map(Object.entries(params).map(([name, value]) => [name, textOf(name, value, params)]));
  const isComplete = [...text.matchAll(/\{(\w+)\}/g)].every(([, name]) => (texts.get(name!) ?? '') !== '');
  return fillTemplate(isComplete ? text : (otherwise ?? text), (name) => texts.get(name) ?? '');
}

function textOf(name: string, value: Value, params: RefusalParams): string {
  if (name === 'act') return ACTS[value as keyof typeof ACTS];
  if (name === 'finding') return finding(value as 'ACCOUNT_DISABLED', params as never).detail;
  return typeof value === 'object' ? value.join(', ') : `${value}`;
}

/** The acts that an account cannot apply to itself, because it could not undo them. */
const ACTS = {
  accessCode: 'create an access code for',
  delete: 'delete',
  demote: 'demote',
  disable: 'disable',
  expire: 'expire',
  removeFactor: 'remove a factor of',
  resetFactors: 'reset the factors of',
  secure: 'secure',
  setPassword: 'set the password of',
} as const;

export type OwnAct = keyof typeof ACTS;
