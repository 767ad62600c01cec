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
import { DependencyUnavailableError, ServiceError, type ReasonName } from '../../../platform/errors.ts';
import { REASONS } from '../../../platform/problem/catalogue.ts';
import type { Call } from '../../access/principal.ts';
import { canonicalUsername } from '../login-name.ts';
import { narrowScope } from '../users/administrator.ts';

export interface InviteUsersDependencies {
  /** Creates a user of a request that was not checked yet. */
  readonly createUser: (request: CreateUserRequest, call: Call) => Promise<CreateUserResponse>;
}

/** InvitationService.InviteUsers. Each user has a transaction of its own, so that one that is refused leaves the others. */
export function createInviteUsers({ createUser }: InviteUsersDependencies) {
  return async ({ tenantId, users }: InviteUsersRequest, call: Call): Promise<InviteUsersResponse> => {
    narrowScope(call.principal!, tenantId);
    const results: InvitationResult[] = [];
    for (const invited of users) results.push(await invite(invited, tenantId, call));
    return { results };
  };

  async function invite(invited: InvitedUser, tenantId: string | undefined, call: Call): Promise<InvitationResult> {
    const { username, roles } = invited;
    const loginName = canonicalUsername(username) ?? username;
    const { email = loginName, name = loginName } = invited;
    try {
      const { user } = await createUser({ tenantId, username, email, name, roles, invite: true }, call);
      return { username, user };
    } catch (error) {
      if (error instanceof DependencyUnavailableError) return { username, error: errorOf('SERVICE_UNAVAILABLE') };
      if (!(error instanceof ServiceError)) throw error;
      const { reason, publicMessage, violations } = error;
      const invalid = publicMessage === undefined || reason === 'VALIDATION_ERROR' ? violations : [];
      const faults = invalid.map(({ props = [], message }) => `${props.join('.')} ${message}`);
      return { username, error: errorOf(reason, faults.length > 0 ? faults.join('; ') : publicMessage) };
    }
  }
}

function errorOf(reason: ReasonName, detail = REASONS[reason].detail): InvitationResult['error'] {
  return { errorCode: REASONS[reason].code, detail };
}
