import { KeyServiceService } from '../../proto/gen/authservice/key/v1/key_service.ts';
import type { Command } from '../command.ts';
import { listCommand, REASON } from './lists.ts';
import { KEY_CHAINS, signingKeyRecord } from './records.ts';

export const KEY_COMMANDS: readonly Command[] = [
  listCommand({
    name: 'key list',
    summary: 'list the signing keys of access tokens and ID tokens',
    columns: ['kid', 'chain', 'algorithm', 'state', 'createdAt', 'signsFrom', 'verifiesUntil'],
    read: (core) => (page) => core.client(KeyServiceService).listSigningKeys({ page }),
    items: ({ keys }) => keys.map(signingKeyRecord),
  }),
  {
    name: 'key rotate',
    summary: 'replace the signing keys; the new keys sign after 7 minutes',
    options: { '--chain <name>': `${KEY_CHAINS.names.join(' or ')} (default: both)`, ...REASON },
    notes:
      'ACCESS: the key of access tokens. ID: the key of ID tokens. The result is the new key, of both that of access tokens.',
    async run({ core, values }) {
      const chain = KEY_CHAINS.valueOf(values.choice('chain', KEY_CHAINS.names));
      const { key } = await (
        await core()
      )
        .client(KeyServiceService)
        .rotateSigningKey({ chain, reason: values.text('reason') });
      return { value: signingKeyRecord(key!) };
    },
  },
  {
    name: 'key revoke',
    summary: 'revoke a signing key: its tokens are refused at once, and a new key signs',
    arguments: { '<kid>': 'the id of the key' },
    options: REASON,
    ends: (values) => `refuses all tokens that key ${values.required('kid')} has signed`,
    notes: 'Services that keep the key set refuse tokens of the new key until they fetch it again.',
    async run({ core, values }) {
      const request = { kid: values.required('kid'), reason: values.text('reason') };
      const { key } = await (await core()).client(KeyServiceService).revokeSigningKey(request);
      return { value: signingKeyRecord(key!) };
    },
  },
];
