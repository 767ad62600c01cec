import { KeyServiceService } from '../../proto/gen/authservice/key/v1/key_service.ts';
import type { Command } from '../command.ts';
import { listCommand } from './lists.ts';
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
    options: { '--chain <name>': `${KEY_CHAINS.names.join(' or ')} (default: both)` },
    notes:
      'ACCESS: the key of access tokens. ID: the key of ID tokens. The result is the new key, of both that of access tokens.',
    async run({ core, values }) {
      const chain = KEY_CHAINS.valueOf(values.choice('chain', KEY_CHAINS.names));
      const { key } = await (await core()).client(KeyServiceService).rotateSigningKey({ chain });
      return { value: signingKeyRecord(key!) };
    },
  },
];
