// The commands that send mails with links.
import { EmailServiceService } from '../../proto/gen/authservice/identity/v1/email_service.ts';
import { InvitationServiceService } from '../../proto/gen/authservice/identity/v1/invitation_service.ts';
import { RecoveryServiceService } from '../../proto/gen/authservice/identity/v1/recovery_service.ts';
import type { Command } from '../command.ts';
import { CommandFailure } from '../failure.ts';
import { isNotServed } from '../core/core.ts';
import { LANGUAGE, REASON, userId } from './lists.ts';
import { ROLE_NAMES, rolesOf } from './roles.ts';

const LINK = { '--link': 'show the link instead of sending it: anyone with it can choose the password' };

export const MAIL_LINK_COMMANDS: readonly Command[] = [
  {
    name: 'user invite',
    summary: 'send a user without a password a mail with a link to choose one',
    arguments: { '<user>': 'the username or id' },
    options: { ...LANGUAGE, ...LINK, ...REASON },
    notes: 'The link is valid for 7 days. Links of earlier invitations end.',
    async run({ core, values }) {
      const opened = await core();
      const id = await userId(opened, values.required('user'));
      const client = opened.client(InvitationServiceService);
      const reason = values.text('reason');
      if (values.flag('link')) {
        const { link } = await ifMailIsOn(() => client.createInvitationLink({ userId: id, reason }));
        return { value: { id, link }, text: link };
      }
      await ifMailIsOn(() => client.inviteUser({ userId: id, reason, language: values.text('language') }));
      return { value: { id, invited: true }, text: `a mail to ${values.required('user')} is on its way` };
    },
  },
  {
    name: 'user invite-new',
    summary: 'create users and send each a mail with a link to choose a password',
    arguments: { '<users...>': 'their e-mail addresses, at most 100' },
    options: {
      '--role <role...>': `a role, the first one is primary: ${ROLE_NAMES}`,
      '--tenant <id>': 'the tenant, for a SUPER_ADMIN',
      ...LANGUAGE,
      ...LINK,
      ...REASON,
    },
    notes: 'The result names each user that was refused, and why. The others are invited.',
    async run({ core, values }) {
      const roles = rolesOf(values.list('role'));
      const users = values.list('users').map((username) => ({ username, roles }));
      const opened = await core();
      const { results } = await ifMailIsOn(async () =>
        opened.client(InvitationServiceService).inviteUsers({
          tenantId: values.text('tenant'),
          users,
          reason: values.text('reason'),
          link: values.flag('link') || undefined,
          language: values.text('language'),
        }),
      );
      const value = results.map(({ username, user, error, link }) => ({
        username,
        id: user?.account?.id,
        ...(link !== undefined && { link }),
        ...error,
      }));
      return { value, columns: ['username', 'id', ...(values.flag('link') ? ['link'] : []), 'errorCode', 'detail'] };
    },
  },
  {
    name: 'user recover',
    summary: 'send a user a mail with a link to choose a new password',
    arguments: { '<user>': 'the username or id' },
    options: { ...LANGUAGE, ...REASON },
    notes: 'The link is valid for 30 minutes. The password stays until it is used.',
    async run({ core, values }) {
      const opened = await core();
      const id = await userId(opened, values.required('user'));
      await ifMailIsOn(async () =>
        opened.client(RecoveryServiceService).sendRecovery({
          userId: id,
          reason: values.text('reason'),
          language: values.text('language'),
        }),
      );
      return { value: { id, sent: true }, text: `a mail to ${values.required('user')} is on its way` };
    },
  },
  {
    name: 'invitation cancel',
    summary: 'end the invitation of a user',
    arguments: { '<user>': 'the username or id' },
    options: REASON,
    ends: (values) => `ends the invitation of ${values.required('user')}`,
    notes: 'The link of the mail ends at once. The user stays, without a password.',
    async run({ core, values }) {
      const opened = await core();
      const id = await userId(opened, values.required('user'));
      await ifMailIsOn(async () =>
        opened.client(InvitationServiceService).cancelInvitation({ userId: id, reason: values.text('reason') }),
      );
      return { value: { id, invited: false }, text: `the invitation of ${values.required('user')} has ended` };
    },
  },
  {
    name: 'account email',
    summary: 'change your own e-mail address, or confirm the present one',
    uses: 'remote',
    arguments: { '<address>': 'the address; it gets a mail with a link' },
    notes:
      'The address changes when you confirm it by the link, within 30 minutes. Stay logged in until then: the link ends with\n' +
      'the session. The verified address that you have now gets a link that stops the change.',
    async run({ core, values }) {
      const email = values.required('address');
      const opened = await core();
      await ifMailIsOn(async () => opened.client(EmailServiceService).requestEmailChange({ email }));
      return { value: { email, confirmed: false }, text: `a mail to ${email} is on its way` };
    },
  },
];

/** Calls an RPC that only cores with mail serve. */
export async function ifMailIsOn<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isNotServed(error)) throw new CommandFailure('the service sends no mails; set app.mail.url');
    throw error;
  }
}
