// Decides on the requests of devices that cannot show a browser (RFC 8628): what a user's decision leads to, and what a poll of the device
// gets. Pure. All facts are as they are now.
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { findLack, type Choice, type Lack, type SessionFacts } from '../authorize/decide-authorization.ts';

export interface DeviceDecisionFacts {
  readonly application: Pick<ClientApplication, 'type' | 'firstParty' | 'requiredAcr'>;
  readonly session: SessionFacts;
  readonly now: number;
}

export type DeviceDecision =
  | 'allow'
  | 'deny'
  /** The account cannot decide, and the code stays. */
  | 'not-served'
  /** The session needs a factor that it does not have. */
  | 'factor';

const DECISIONS: Readonly<Partial<Record<Lack, DeviceDecision>>> = {
  account: 'not-served',
  permission: 'not-served',
  factor: 'factor',
  acr: 'factor',
};

/** Without the permission that the application requires, a user can still deny. */
export function decideDeviceDecision(facts: DeviceDecisionFacts, choice: NonNullable<Choice>): DeviceDecision {
  if (choice === 'DENY') return facts.session.isServed ? 'deny' : 'not-served';
  const request = { prompt: [], maxAge: undefined, acr: undefined, hint: undefined, scopes: [] };
  const lack = findLack({ ...facts, request, requestedAt: facts.now });
  return (lack && DECISIONS[lack]) ?? 'allow';
}

/** Earlier by so much, a poll is still in time: networks delay the previous one. */
const TOLERANCE_MS = 500;

export interface DevicePollFacts {
  /** The request that waits for its decision, or was denied. */
  readonly pending:
    | {
        readonly applicationId: string;
        readonly deniedAt: number | undefined;
        readonly polledAt: number | undefined;
        /** Seconds. */
        readonly interval: number;
        readonly expiresAt: number;
      }
    | undefined;
  /** What an allowed request became. */
  readonly code:
    | {
        readonly applicationId: string;
        /** Undefined for the code of a device. */
        readonly redirectUri: string | undefined;
        readonly expiresAt: number;
        readonly usedAt: number | undefined;
      }
    | undefined;
  /** The authenticated client. */
  readonly application: Pick<ClientApplication, 'id' | 'deviceGrant'>;
  /** Why the account, its tenant, its session, its policy or the application refuses the grant now; undefined if nothing does. */
  readonly refusal: string | undefined;
  readonly now: number;
}

export type DevicePollDecision =
  /** The user has not decided. Store the time of the poll. */
  | { readonly kind: 'pending' }
  /** Like pending, with a longer interval from now on. */
  | { readonly kind: 'slow-down' }
  /** Mark the code as used and store its grant, in one transaction. */
  | { readonly kind: 'redeem' }
  /** The code was used before: revoke its grant, then refuse. */
  | { readonly kind: 'replay' }
  /** Refuse without a change. */
  | {
      readonly kind: 'refuse';
      readonly error: 'ACCESS_DENIED' | 'EXPIRED_TOKEN' | 'INVALID_GRANT' | 'UNAUTHORIZED_CLIENT';
      readonly detail: string;
    };

/** The interval counts only while the user has not decided: what was decided is said at once. */
export function decideDevicePoll(facts: DevicePollFacts): DevicePollDecision {
  const { pending, code, application, refusal, now } = facts;
  const found = pending ?? (code?.redirectUri === undefined ? code : undefined);
  if (!application.deviceGrant) return refuse('UNAUTHORIZED_CLIENT', 'the application has no device grant');
  if (!found) return refuse('INVALID_GRANT', 'the device code is unknown');
  if (found.applicationId !== application.id)
    return refuse('INVALID_GRANT', 'the device code was issued to another client');
  if (pending?.deniedAt !== undefined) return refuse('ACCESS_DENIED', 'the user has denied the device');
  if (!pending && code!.usedAt !== undefined) return { kind: 'replay' };
  if (found.expiresAt <= now) return refuse('EXPIRED_TOKEN', 'the device code has expired');
  if (pending) {
    const { polledAt, interval } = pending;
    const isEarly = polledAt !== undefined && now - polledAt < interval * 1000 - TOLERANCE_MS;
    return { kind: isEarly ? 'slow-down' : 'pending' };
  }
  return refusal === undefined ? { kind: 'redeem' } : refuse('INVALID_GRANT', refusal);
}

const refuse = (
  error: Extract<DevicePollDecision, { readonly kind: 'refuse' }>['error'],
  detail: string,
): DevicePollDecision => ({ kind: 'refuse', error, detail });
