// The commands for people without a password: they ask for a mail, and use the token of its link. None needs a login.
import { EmailServiceService } from '../../proto/gen/authservice/identity/v1/email_service.ts';
import { InvitationServiceService } from '../../proto/gen/authservice/identity/v1/invitation_service.ts';
import { RecoveryServiceService } from '../../proto/gen/authservice/identity/v1/recovery_service.ts';
import type { Command, Input } from '../command.ts';
import { connectRemotely, type Connection } from '../core/connect.ts';
import { ifMailIsOn } from './mail-links.ts';

const TOKEN_NOTES = 'The token, or the whole link of the mail, is read without echo, or from the standard input.';
const PASSWORD_NOTES =
  'The token, or the whole link of the mail, and the new password are read without echo, or from two lines of the\n' +
  'standard input. If the password is refused, the token stays valid.';

export const MAIL_TOKEN_COMMANDS: readonly Command[] = [
  {
    name: 'recovery request',
    summary: 'ask for a mail with a link to choose a new password',
    uses: 'remote',
    arguments: { '<username>': 'the username of the account' },
    notes: 'The response is the same for every username: it does not say whether the account exists.',
    async run(input) {
      const username = input.values.required('username');
      await withoutLogin(input, ({ channel, options }) =>
        channel.client(RecoveryServiceService).requestRecovery({ username }, options),
      );
      return { value: { username }, text: `a mail is on its way if ${username} can be recovered` };
    },
  },
  {
    name: 'recovery confirm',
    summary: 'choose a new password with the token of a mail',
    uses: 'remote',
    notes: `${PASSWORD_NOTES} All sessions of the account end.`,
    async run(input) {
      const token = await readToken(input);
      const newPassword = await input.terminal.readSecret('New password', { isNew: true });
      await withoutLogin(input, ({ channel, options }) =>
        channel.client(RecoveryServiceService).confirmRecovery({ token, newPassword }, options),
      );
      return { value: { recovered: true }, text: 'the password is set, and all sessions of the account have ended' };
    },
  },
  {
    name: 'invitation confirm',
    summary: 'choose your first password with the token of a mail',
    uses: 'remote',
    notes: PASSWORD_NOTES,
    async run(input) {
      const token = await readToken(input);
      const password = await input.terminal.readSecret('Password', { isNew: true });
      await withoutLogin(input, ({ channel, options }) =>
        channel.client(InvitationServiceService).confirmInvitation({ token, password }, options),
      );
      return { value: { accepted: true }, text: 'the password is set, you can log in' };
    },
  },
  {
    name: 'email confirm',
    summary: 'confirm an e-mail address with the token of a mail',
    uses: 'remote',
    notes: TOKEN_NOTES,
    async run(input) {
      const token = await readToken(input);
      await withoutLogin(input, ({ channel, options }) =>
        channel.client(EmailServiceService).confirmEmail({ token }, options),
      );
      return { value: { confirmed: true }, text: 'the e-mail address is confirmed' };
    },
  },
  {
    name: 'email stop',
    summary: 'stop a change of an e-mail address with the token of the mail to the address before',
    uses: 'remote',
    notes: TOKEN_NOTES,
    async run(input) {
      const token = await readToken(input);
      await withoutLogin(input, ({ channel, options }) =>
        channel.client(EmailServiceService).stopEmailChange({ token }, options),
      );
      return { value: { stopped: true }, text: 'the change of the e-mail address is stopped' };
    },
  },
];

/** Reads a token or the link that has it. */
async function readToken({ terminal }: Input): Promise<string> {
  const text = (await terminal.readSecret('Token or link of the mail')).trim();
  return text.replace(/^.*#(?:token|stop)=/, '');
}

async function withoutLogin(input: Input, call: (connection: Connection) => Promise<unknown>): Promise<void> {
  const connection = connectRemotely(input);
  try {
    await ifMailIsOn(() => call(connection));
  } finally {
    connection.channel.close();
  }
}
