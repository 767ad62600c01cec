import {
  FactorServiceService,
  type Factors,
  type Passkey,
} from '../../proto/gen/authservice/factor/v1/factor_service.ts';
import type { Command, Input } from '../command.ts';
import type { Core } from '../core/core.ts';
import { CommandFailure } from '../failure.ts';
import type { Result } from '../terminal/render.ts';
import { assertPrintsSecrets, PRINT_SECRETS, readCode, recoveryCodesText, showTotpSecret } from '../terminal/codes.ts';
import { REASON, userId } from './lists.ts';

const USER = { '<user>': 'the username or id' };
const PASSKEY = { '<passkey>': 'the label or id of the passkey' };
const PASSKEY_COLUMNS = ['id', 'label', 'createdAt', 'lastUsedAt', 'backedUp'];

export const FACTOR_COMMANDS: readonly Command[] = [
  {
    name: 'account factors',
    summary: 'show your second factors',
    uses: 'remote',
    run: async ({ core, json }) => {
      const { factors } = await (await core()).client(FactorServiceService).getMyFactors({});
      return factorsResult(factors!, json);
    },
  },
  {
    name: 'account totp',
    summary: 'set up TOTP codes of an authenticator app as a second factor',
    uses: 'remote',
    options: PRINT_SECRETS,
    notes:
      'Shows a QR code for the app and asks for the first code. Replaces TOTP codes that you have. Your other sessions end.\n' +
      'With --json, the secret and its URI are the first line.',
    run: setUpTotp,
  },
  {
    name: 'account remove-totp',
    summary: 'remove your TOTP codes and end your other sessions',
    uses: 'remote',
    ends: () => 'removes your TOTP codes and ends your other sessions',
    async run({ core }) {
      await (await core()).client(FactorServiceService).deleteMyTotp({});
      return { value: { removed: true }, text: 'TOTP removed, your other sessions have ended' };
    },
  },
  {
    name: 'account recovery-codes',
    summary: 'create new recovery codes; the earlier ones become invalid',
    uses: 'remote',
    options: PRINT_SECRETS,
    ends: () => 'makes all your present recovery codes invalid',
    async run({ core, terminal, values }) {
      assertPrintsSecrets(terminal, values);
      const { recoveryCodes } = await (await core()).client(FactorServiceService).createMyRecoveryCodes({});
      return { value: { recoveryCodes }, text: recoveryCodesText(recoveryCodes).trimStart() };
    },
  },
  {
    name: 'account passkeys list',
    summary: 'list your passkeys, the oldest first',
    uses: 'remote',
    async run({ core }) {
      return { value: await ownPasskeys(await core()), columns: PASSKEY_COLUMNS };
    },
  },
  {
    name: 'account passkeys rename',
    summary: 'change the label of one of your passkeys',
    uses: 'remote',
    arguments: { ...PASSKEY, '<label>': 'its new label' },
    async run({ core, values }) {
      const opened = await core();
      const passkeyId = await passkeyIdOf(opened, values.required('passkey'));
      const label = values.required('label');
      const { passkey } = await opened.client(FactorServiceService).updateMyPasskey({ passkeyId, label });
      return { value: passkey };
    },
  },
  {
    name: 'account passkeys remove',
    summary: 'remove one of your passkeys and end your other sessions',
    uses: 'remote',
    arguments: PASSKEY,
    ends: (values) => `removes your passkey ${values.required('passkey')} and ends your other sessions`,
    async run({ core, values }) {
      const opened = await core();
      const passkey = values.required('passkey');
      const passkeyId = await passkeyIdOf(opened, passkey);
      await opened.client(FactorServiceService).deleteMyPasskey({ passkeyId });
      return {
        value: { id: passkeyId, removed: true },
        text: `passkey ${passkey} removed, your other sessions have ended`,
      };
    },
  },
  {
    name: 'user factors show',
    summary: 'show the second factors of a user',
    arguments: USER,
    async run({ core, values, json }) {
      const opened = await core();
      const id = await userId(opened, values.required('user'));
      const { factors } = await opened.client(FactorServiceService).getUserFactors({ userId: id });
      return factorsResult(factors!, json);
    },
  },
  {
    name: 'user access-code',
    summary: 'create a code that stands in for a lost second factor at one login',
    arguments: USER,
    options: { '--minutes <number>': 'how long it is valid, 5 to 60 (default: 15)', ...REASON },
    async run({ core, values }) {
      const opened = await core();
      const id = await userId(opened, values.required('user'));
      const minutes = values.count('minutes', 15);
      const reason = values.text('reason');
      return { value: await opened.client(FactorServiceService).createAccessCode({ userId: id, minutes, reason }) };
    },
  },
  {
    name: 'user factors remove',
    summary: 'remove one second factor of a user and end its sessions',
    arguments: { ...USER, '<factor>': 'the id of a passkey, or totp' },
    options: REASON,
    ends: (values) => `removes a second factor of user ${values.required('user')} and ends all its sessions`,
    async run({ core, values }) {
      const opened = await core();
      const id = await userId(opened, values.required('user'));
      const factorId = values.required('factor');
      await opened
        .client(FactorServiceService)
        .deleteUserFactor({ userId: id, factorId, reason: values.text('reason') });
      return { value: { id, removed: factorId } };
    },
  },
  {
    name: 'user factors reset',
    summary: 'remove all second factors of a user, who has lost them, and end its sessions',
    arguments: USER,
    options: REASON,
    ends: (values) => `removes all second factors of user ${values.required('user')} and ends all its sessions`,
    async run({ core, values }) {
      const opened = await core();
      const user = values.required('user');
      const id = await userId(opened, user);
      await opened.client(FactorServiceService).deleteUserFactors({ userId: id, reason: values.text('reason') });
      return { value: { id, reset: true }, text: `factors of ${user} removed, all its sessions have ended` };
    },
  },
];

async function setUpTotp({ core, terminal, values, json }: Input): Promise<Result> {
  assertPrintsSecrets(terminal, values);
  const factors = (await core()).client(FactorServiceService);
  const created = await factors.createMyTotp({});
  await showTotpSecret(terminal, created, json);
  const { recoveryCodes } = await factors.confirmMyTotp({ totp: await readCode(terminal, 'The code of the app') });
  const text = `TOTP is set up, your other sessions have ended${recoveryCodesText(recoveryCodes)}`;
  return { value: { recoveryCodes }, text };
}

async function ownPasskeys(core: Core): Promise<Passkey[]> {
  const { factors } = await core.client(FactorServiceService).getMyFactors({});
  return factors!.passkeys;
}

/** Returns the id of the caller's passkey with this id or label. Labels need not be unique. */
async function passkeyIdOf(core: Core, name: string): Promise<string> {
  const passkeys = await ownPasskeys(core);
  const found = passkeys.filter(({ id, label }) => name === id || name === label);
  if (found.length === 1) return found[0]!.id;
  const problem = found.length === 0 ? 'no passkey' : 'several passkeys are named';
  throw new CommandFailure(`${problem} ${JSON.stringify(name)}; authservice account passkeys list shows the ids`);
}

/** A line for each fact, and a table of the passkeys. */
function factorsResult({ totp, passkeys, recoveryCodes, required }: Factors, json: boolean): Result {
  if (json) return { value: { totp, passkeys, recoveryCodes, required } };
  return {
    value: {
      totp: totp ? 'yes' : 'no',
      ...(totp && { totpCreatedAt: totp.createdAt, totpLastUsedAt: totp.lastUsedAt }),
      recoveryCodesLeft: recoveryCodes?.remaining,
      recoveryCodesCreatedAt: recoveryCodes?.createdAt,
      required,
      passkeys,
    },
  };
}
