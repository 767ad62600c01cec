// Authenticates the clients of this service's endpoints: applications and service accounts, which share one name space.
import type { Clock } from '../../../platform/clock.ts';
import type { RunRefusable } from '../../../platform/concurrency/pace-failures.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Account } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import type { CheckSecret, ClientAuthentication, UseSecret } from '../../client-credentials/client-authentication.ts';
import { admitClient, refuseClient } from '../../identity/authentication/settle-client.ts';
import { canonicalUsername } from '../../identity/login-name.ts';
import type { ClientApplication, FindByClientId, FoundApplication } from '../applications/application-loader-store.ts';
import type { AdmitClient, SuccessLimit } from './client-admission.ts';
import type { ClaimAssertion } from './client-assertion-store.ts';
import { checkAssertion } from './client-assertion.ts';
import { readClientMethod, type ClientEndpoint, type ClientMethod, type PresentedClient } from './client-method.ts';
import {
  decideClientAuthentication,
  USED_ASSERTION,
  type CheckedMethod,
  type ClientDecision,
} from './decide-client-authentication.ts';

/** The most characters of a key's id in an audit record. */
const MAX_KEY_ID = 100;

/** An authenticated client, or a public application that has named itself. */
export type AuthenticatedClient =
  | { readonly kind: 'application'; readonly application: ClientApplication }
  | { readonly kind: 'service-account'; readonly account: Account };

export interface ClientUse {
  readonly endpoint: ClientEndpoint;
  /** Default: none. */
  readonly limit?: SuccessLimit;
}

/** Returns the application that a request is from. Rejects with UNAUTHORIZED_CLIENT for a service account. */
export type AuthenticateApplication = ClientAuthentications['authenticateApplication'];

export type ClientAuthentications = ReturnType<typeof createClientAuthentications>;

export function createClientAuthentications(options: {
  readonly findByClientId: FindByClientId;
  readonly authenticateServiceAccount: ClientAuthentication;
  /** Compares a secret with those of an application. */
  readonly checkSecret: CheckSecret;
  readonly claimAssertion: ClaimAssertion;
  /** Returns the audiences of assertions for an endpoint: the issuer, and the URLs of the endpoint. */
  readonly audiencesOf: (endpoint: ClientEndpoint) => readonly string[];
  readonly admissionOf: AdmitClient;
  readonly audit: Pick<AuditLog, 'record' | 'refuse'>;
  readonly clock: Clock;
  /** Runs a check whose refusals must not reveal differences between clients. */
  readonly runRefusable: RunRefusable;
  /** Called for every successful use of a secret of an application. */
  readonly used: UseSecret;
}) {
  const { findByClientId, authenticateServiceAccount, checkSecret, claimAssertion, audiencesOf } = options;
  const { admissionOf, audit, clock, runRefusable, used } = options;

  /**
   * Returns the client of a request. Rejects with INVALID_REQUEST, INVALID_CLIENT or TOO_MANY_REQUESTS. Success and refusal are
   * recorded in the audit log.
   */
  async function authenticateAny(presented: PresentedClient, call: Call, use: ClientUse): Promise<AuthenticatedClient> {
    const method = readClientMethod(presented, use.endpoint);
    const found = await findByClientId(method.clientId);
    if (found === undefined && method.kind === 'secret') {
      const admission = admissionOf(method.clientId, call, use.limit);
      const credentials = { clientId: method.clientId, clientSecret: method.secret };
      return { kind: 'service-account', account: await authenticateServiceAccount(credentials, call, admission) };
    }
    return { kind: 'application', application: await runRefusable(() => authenticate(found, method, call, use)) };
  }

  async function authenticate(
    found: FoundApplication | undefined,
    method: ClientMethod,
    call: Call,
    use: ClientUse,
  ): Promise<ClientApplication> {
    const application = found?.application;
    const decision = await decide(found, method, use.endpoint);
    if (decision.kind === 'public') return application!;
    const outcomeOptions = { audit, context: call, admission: admissionOf(method.clientId, call, use.limit) };
    const subject = subjectOf(application, method.clientId);
    if (decision.kind === 'refuse') return refuseClient(outcomeOptions, subject, decision.refusal);
    const { tenantId, id } = application!;
    if (decision.kind === 'assertion') {
      const { assertion } = decision;
      if (!(await claimAssertion(id, assertion, call.deadline)))
        return refuseClient(outcomeOptions, subject, USED_ASSERTION);
      const details = {
        ...subject.details,
        ...(assertion.kid !== undefined && { keyId: assertion.kid.slice(0, MAX_KEY_ID) }),
      };
      await admitClient(outcomeOptions, { ...subject, details }, id);
    } else {
      const { secretId } = decision;
      await admitClient(outcomeOptions, { ...subject, details: { ...subject.details, secretId } }, secretId);
      used(secretId, { tenantId, ownerId: id, id: secretId });
    }
    return application!;
  }

  async function decide(
    found: FoundApplication | undefined,
    method: ClientMethod,
    endpoint: ClientEndpoint,
  ): Promise<ClientDecision> {
    return decideClientAuthentication({
      application: found?.application,
      tenantStatus: found?.tenantStatus,
      method: await check(found?.application, method, endpoint),
      acceptsPublic: endpoint !== 'introspect',
      acceptsSuspended: endpoint === 'token',
    });
  }

  /** Checks the credential also of a client that cannot use it, so that its refusal takes as long. */
  async function check(
    application: ClientApplication | undefined,
    method: ClientMethod,
    endpoint: ClientEndpoint,
  ): Promise<CheckedMethod> {
    if (method.kind === 'none') return method;
    if (method.kind === 'secret') return { kind: 'secret', outcome: await checkSecret(application, method.secret) };
    const { clientId, assertion } = method;
    const expected = { clientId, audiences: audiencesOf(endpoint), now: clock() };
    return { kind: 'assertion', outcome: await checkAssertion(assertion, application?.jwks, expected) };
  }

  return {
    authenticateAny,

    /** Like authenticateAny, for applications alone. Rejects with UNAUTHORIZED_CLIENT for a service account. */
    async authenticateApplication(presented: PresentedClient, call: Call, use: ClientUse): Promise<ClientApplication> {
      const client = await authenticateAny(presented, call, use);
      if (client.kind === 'application') return client.application;
      throw new ServiceError('UNAUTHORIZED_CLIENT', {
        detail: 'a service account has only the grant client_credentials',
      });
    },

    /** Returns the public application with a client id that can use its grants now; undefined if there is none. */
    async findPublicApplication(clientId: string): Promise<ClientApplication | undefined> {
      const found = await findByClientId(clientId);
      const { kind } = await decide(found, { kind: 'none', clientId }, 'revoke');
      return kind === 'public' ? found?.application : undefined;
    },
  };
}

/** Returns how audit records name a client. */
function subjectOf(application: ClientApplication | undefined, presentedId: string) {
  if (!application) return { tenantId: undefined, username: canonicalUsername(presentedId) };
  const { tenantId, clientId, id } = application;
  return { tenantId, username: clientId, details: { application: id } };
}
