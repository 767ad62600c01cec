import { KeyServiceService } from '../../proto/gen/authservice/key/v1/key_service.ts';
import type { Command } from '../command.ts';
import { listCommand } from './lists.ts';
import { signingKeyRecord } from './records.ts';

export const KEY_COMMANDS: readonly Command[] = [
  listCommand({
    name: 'key list',
    summary: 'list the signing keys of access tokens',
    columns: ['kid', 'algorithm', 'state', 'createdAt', 'signsFrom', 'verifiesUntil'],
    read: (core) => (page) => core.client(KeyServiceService).listSigningKeys({ page }),
    items: ({ keys }) => keys.map(signingKeyRecord),
  }),
  {
    name: 'key rotate',
    summary: 'replace the signing key; the new key signs after 7 minutes',
    async run({ core }) {
      const { key } = await (await core()).client(KeyServiceService).rotateSigningKey({});
      return { value: signingKeyRecord(key!) };
    },
  },
];
