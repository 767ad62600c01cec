import { SessionServiceService } from '../../proto/gen/authservice/session/v1/session_service.ts';
import type { Command } from '../command.ts';
import { LIMIT_OPTION, list } from './lists.ts';
import { signingKeyRecord } from './records.ts';

export const KEY_COMMANDS: readonly Command[] = [
  {
    name: 'key list',
    summary: 'list the signing keys of access tokens',
    uses: 'core',
    options: LIMIT_OPTION,
    async run({ values, core }) {
      const { listSigningKeys } = (await core()).client(SessionServiceService);
      return list(values, ['kid', 'algorithm', 'state', 'createdAt', 'signsFrom', 'verifiesUntil'], async (page) => {
        const response = await listSigningKeys({ page });
        return { items: response.keys.map(signingKeyRecord), page: response.page };
      });
    },
  },
  {
    name: 'key rotate',
    summary: 'replace the signing key; the new key signs after 7 minutes',
    uses: 'core',
    async run({ core }) {
      const { key } = await (await core()).client(SessionServiceService).rotateSigningKey({});
      return { value: signingKeyRecord(key!) };
    },
  },
];
