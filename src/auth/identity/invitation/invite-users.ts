import type {
  InvitationResult,
  InvitedUser,
  InviteUsersRequest,
  InviteUsersResponse,
} from '../../../../proto/gen/authservice/identity/v1/invitation_service.ts';
import type {
  CreateUserRequest,
  CreateUserResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { isOver, type Deadline } from '../../../platform/clock.ts';
import { isOutcomeUnknown } from '../../../platform/db/errors.ts';
import { DependencyUnavailableError, ServiceError, type ReasonName, type Violation } from '../../../platform/errors.ts';
import { REASONS } from '../../../platform/problem/catalogue.ts';
import type { Call } from '../../access/principal.ts';
import { toMailbox } from '../../../platform/formats/mail-address.ts';
import { canonicalUsername } from '../login-name.ts';
import { narrowScope } from '../users/administrator.ts';

type InvitedUserResponse = CreateUserResponse & { readonly link?: string | undefined };

export interface InviteUsersDependencies {
  /** Creates a user of a request that was not checked yet, with a mail or a link. */
  readonly createUser: (request: CreateUserRequest, call: Call, by: 'mail' | 'link') => Promise<InvitedUserResponse>;
}

/** The response with the results must reach the caller before its deadline. */
const RESPONSE_MS = 1_000;

/**
 * InvitationService.InviteUsers. Each user has a transaction of its own, so that one that is refused leaves the others. The users for whom
 * no time is left have an error, so that the caller learns who was invited.
 */
export function createInviteUsers({ createUser }: InviteUsersDependencies) {
  return async (request: InviteUsersRequest, call: Call): Promise<InviteUsersResponse> => {
    narrowScope(call.principal!, request.tenantId);
    const early = { ...call, log: call.log, deadline: endEarlier(call.deadline, RESPONSE_MS) };
    const results: InvitationResult[] = [];
    for (const invited of request.users) results.push(await invite(invited, request, early));
    return { results };
  };

  async function invite(
    invited: InvitedUser,
    { tenantId, language, link: isLink = false }: InviteUsersRequest,
    call: Call,
  ): Promise<InvitationResult> {
    const { username, roles } = invited;
    const loginName = canonicalUsername(username) ?? username;
    const needsNoAddress = isLink && toMailbox(loginName) === undefined;
    const { email = needsNoAddress ? undefined : loginName, name = loginName } = invited;
    if (isOver(call.deadline)) return { username, error: unavailable('notInvited') };
    try {
      const draft = { tenantId, username, email, name, roles, invite: true, language };
      const created = await beforeEnd(call.deadline, createUser(draft, call, isLink ? 'link' : 'mail'));
      if (created === undefined) return { username, error: unavailable('outcomeUnknown') };
      const { user, link } = created;
      return { username, user, ...(link !== undefined && { link }) };
    } catch (error) {
      if (error instanceof DependencyUnavailableError)
        return { username, error: unavailable(isOutcomeUnknown(error) ? 'outcomeUnknown' : 'notInvited') };
      if (!(error instanceof ServiceError)) {
        // The others must learn their results all the same.
        call.log.error({ err: error }, 'user could not be invited');
        return { username, error: errorOf('INTERNAL_ERROR') };
      }
      const { reason, publicMessage, violations } = error;
      const invalid = publicMessage === undefined || reason === 'VALIDATION_ERROR' ? violations : [];
      const faults = invalid.map(({ props = [], message }) => `${props.join('.')} ${message}`);
      const detail = faults.length > 0 ? faults.join('; ') : publicMessage;
      return { username, error: errorOf(reason, detail, violations) };
    }
  }
}

/** By the `format` of the violation. */
const UNAVAILABLE = {
  notInvited: 'The time of the call is over, or the database is unavailable. The user was not invited; try again',
  outcomeUnknown: 'The database did not answer in time. Look for the user before you try again',
};

function unavailable(format: keyof typeof UNAVAILABLE): InvitationResult['error'] {
  const message = UNAVAILABLE[format];
  return errorOf('SERVICE_UNAVAILABLE', message, [{ message, format }]);
}

/** Returns a deadline that is before another one. The writes of transactions have it as a condition, so none commits after it. */
function endEarlier(deadline: Deadline, byMs: number): Deadline {
  const at = deadline.at - byMs;
  const signal = AbortSignal.any([deadline.signal, AbortSignal.timeout(Math.max(0, Math.floor(at - Date.now())))]);
  return { at, signal };
}

/** Returns undefined if the deadline passes before the work ends. Then its writes fail, but the last one may have been committed before. */
async function beforeEnd<T>({ signal }: Deadline, work: Promise<T>): Promise<T | undefined> {
  const ended = Promise.withResolvers<undefined>();
  const end = () => ended.resolve(undefined);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    signal.removeEventListener('abort', end);
    // A late failure has no caller.
    work.catch(() => {});
  }
}

function errorOf(
  reason: ReasonName,
  detail = REASONS[reason].detail,
  violations: readonly Violation[] = [],
): InvitationResult['error'] {
  return {
    errorCode: REASONS[reason].code,
    detail,
    violations: violations.map(({ message, format, props = [], params }) => ({
      message,
      format,
      props: [...props],
      params: params && JSON.stringify(params),
    })),
  };
}
