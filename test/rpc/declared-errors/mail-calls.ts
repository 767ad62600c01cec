// Calls that provoke the declared errors of mails with links.
import { newId } from '../../../src/platform/db/ids.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { OTHER_TENANT, type Calls } from './scene.ts';
import { machineIn } from './session-calls.ts';

/** More mails than an account can get in an hour. */
const MAILS = 6;
const token = 'x'.repeat(43);
const email = 'new@mail.test';

async function repeat(call: () => Promise<unknown>): Promise<void> {
  for (let count = 1; count < MAILS; count += 1) await outcomeOf(call());
  await call();
}

export const MAIL_CALLS: Calls = {
  'RecoveryService/ConfirmRecovery MAIL_TOKEN_INVALID': ({ call }) =>
    call('RecoveryService/ConfirmRecovery', { token, newPassword: PASSWORD }, {}),
  'EmailService/RequestEmailChange PERMISSION_DENIED': async (scene) =>
    scene.call('EmailService/RequestEmailChange', { email }, await machineIn(scene)),
  'EmailService/RequestEmailChange TOO_MANY_REQUESTS': async ({ call, world }) => {
    const { as } = await world.actor();
    await repeat(() => call('EmailService/RequestEmailChange', { email }, as));
  },
  'EmailService/ConfirmEmail MAIL_TOKEN_INVALID': ({ call }) => call('EmailService/ConfirmEmail', { token }, {}),
  'EmailService/StopEmailChange MAIL_TOKEN_INVALID': ({ call }) => call('EmailService/StopEmailChange', { token }, {}),
  'InvitationService/ConfirmInvitation MAIL_TOKEN_INVALID': ({ call }) =>
    call('InvitationService/ConfirmInvitation', { token, password: PASSWORD }, {}),
  'InvitationService/InviteUser CONFLICT': async ({ call, world }) =>
    call('InvitationService/InviteUser', { userId: (await world.seed({ email })).id }),
  'RecoveryService/SendRecovery CONFLICT': async ({ call, world }) =>
    call('RecoveryService/SendRecovery', { userId: (await world.seed()).id }),
  'RecoveryService/SendRecovery TOO_MANY_REQUESTS': async ({ call, world }) => {
    const { id: userId } = await world.seed({ email });
    await repeat(() => call('RecoveryService/SendRecovery', { userId }));
  },
  'InvitationService/CreateInvitationLink CONFLICT': async ({ call, world }) =>
    call('InvitationService/CreateInvitationLink', { userId: (await world.seed()).id }),
  'InvitationService/InviteUsers TENANT_MISMATCH': ({ call }) =>
    call('InvitationService/InviteUsers', { users: [{ username: email, roles: ['SALES'] }], ...OTHER_TENANT }),
  'InvitationService/CancelInvitation CONFLICT': async ({ call, world }) =>
    call('InvitationService/CancelInvitation', { userId: (await world.seed({ email })).id }),
  'InvitationService/InviteUser TOO_MANY_REQUESTS': async ({ call, world }) => {
    const { id: userId } = await world.seed({ email, hasPassword: false });
    await repeat(() => call('InvitationService/InviteUser', { userId }));
  },
  'IdentityService/CreateUser TOO_MANY_REQUESTS': ({ call }) => {
    const user = { username: `${newId()}@acme.test`, name: 'New', roles: ['SALES'], email, invite: true };
    return repeat(() => call('IdentityService/CreateUser', { ...user, password: undefined }));
  },
};
