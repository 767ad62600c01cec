import type {
  CreateUserRequest,
  CreateUserResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { requestCheckOf } from '../../../platform/rpc/contract/contracts.ts';
import { createRequestViolations, type RequestViolations } from '../../../platform/rpc/request-violations.ts';
import { loadThenCheckReferences } from '../../../platform/rpc/service.ts';
import {
  assertCanGrantRoles,
  checkRoles,
  ROLES_OF_TENANTS,
  SUPER_ADMIN_ONLY,
  tenantOfNewAccount,
} from './account-input.ts';
import type { Invitations } from '../invitation/invitations.ts';
import { assertInvitable, emailToInvite, SHOWN } from '../invitation/invite-user.ts';
import { assertPassword } from './password-policy.ts';
import { userMessage, type UserDependencies } from './users.ts';
import type { Call } from '../../access/principal.ts';

/** Compiled at the first use. */
const checkRequest = once(() => requestCheckOf('/authservice.identity.v1.IdentityService/CreateUser'));

function once<T>(create: () => T): () => T {
  let created: T | undefined;
  return () => (created ??= create());
}

/** IdentityService.CreateUser. */
export function createUserCreation(options: UserDependencies) {
  const { administration, accounts, hasher, checkPassword, invitations, clock } = options;

  return {
    createUser: loadThenCheckReferences(
      async () => {},
      (request: CreateUserRequest, call: Call, _found, violations) => create(request, call, violations),
    ),
    /** Creates a user of a request that was not checked yet, within another call. Invites it by a mail, or returns the link. */
    createChecked(unchecked: CreateUserRequest, call: Call, by: 'mail' | 'link') {
      const { message, violations } = checkRequest().inspect(unchecked);
      return create(message, call, createRequestViolations(violations), by);
    },
  };

  async function create(
    request: CreateUserRequest,
    call: Call,
    violations: RequestViolations,
    by: 'mail' | 'link' = 'mail',
  ): Promise<CreateUserResponse & { link?: string | undefined }> {
    const principal = call.principal!;
    const { username, name, email, password, accountExpiresAt, credentialsExpireAt } = request;
    const holdable = request.tenantId === undefined ? SUPER_ADMIN_ONLY : ROLES_OF_TENANTS;
    await checkRoles(violations, administration.definitions, principal, request, holdable);
    const ownTenantId = principal.account.tenantId ?? request.tenantId;
    const invitation = checkInvitation(violations, request, ownTenantId, by);
    violations.assertNone();
    if (password !== undefined)
      await assertPassword(checkPassword, 'password', password, { tenantId: ownTenantId, username, email });
    const tenantId = await tenantOfNewAccount(principal, request.tenantId, administration.tenantExists);
    assertCanGrantRoles(principal, request.roles);

    const draft = {
      username,
      name,
      email,
      interactive: true,
      resourceServer: false,
      roles: request.roles,
      accountExpiresAt: accountExpiresAt?.getTime(),
      credentialsExpireAt: credentialsExpireAt?.getTime(),
      tenantId,
      invitationExpiresAt: invitation?.newExpiry(),
    };
    if (by === 'mail') await invitation?.assertWithinLimits({ tenantId, id: `${tenantId}/${username}` }, call);
    const passwordHash = password === undefined ? undefined : await hasher.hash(password, call);
    let link: string | undefined;
    const account = await administration.create(call, draft, passwordHash, async ({ tx, account: created, record }) => {
      if (invitation === undefined) return;
      const expiresAt = draft.invitationExpiresAt!;
      const held = await accounts.hold(tx, created);
      if (by === 'link') {
        assertInvitable(held, clock());
        link = await invitation.createLink(tx, created, expiresAt);
        return record('account.invited', SHOWN);
      }
      const to = emailToInvite(held, clock());
      await invitation.send(tx, created, { to, expiresAt, language: request.language });
      record('account.invited');
    });
    const mail = by === 'mail' ? 'QUEUED' : 'NONE';
    return { user: userMessage(account, clock(), invitation && { invitation: mail }), link };
  }

  /** Adds the violations of a user with neither or both of password and invitation. Returns what sends the invitation, if any. */
  function checkInvitation(
    violations: RequestViolations,
    { invite = false, password, email }: CreateUserRequest,
    tenantId: string | undefined,
    by: 'mail' | 'link',
  ): Invitations | undefined {
    const report = (field: string, message: string, format = 'required') =>
      violations.add({ message, format, props: [field] });
    if (!invite) {
      if (password === undefined) report('password', 'is required');
      return undefined;
    }
    if (invitations === undefined) report('invite', 'needs mail, which this service does not send', 'mail');
    if (password !== undefined) report('password', 'must not be given with an invitation', 'invitation');
    if (tenantId === undefined) report('invite', 'a SUPER_ADMIN cannot be invited by mail', 'invitation');
    if (email === undefined && by === 'mail') report('email', 'is required for an invitation');
    return invitations;
  }
}
