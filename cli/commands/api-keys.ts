import { ApiKeyServiceService } from '../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import type { Command } from '../command.ts';
import { CLIENT, listCommand, onServiceAccount, REASON, serviceAccountId } from './lists.ts';

export const API_KEY_COMMANDS: readonly Command[] = [
  listCommand({
    name: 'api-key list',
    summary: 'list the API keys of a service account',
    arguments: CLIENT,
    columns: ['keyId', 'label', 'prefix', 'createdAt', 'lastUsedAt', 'expiresAt'],
    async read(core, values) {
      const id = await serviceAccountId(core, values.required('client'));
      return (page) => core.client(ApiKeyServiceService).listApiKeys({ serviceAccountId: id, page });
    },
    items: ({ keys }) => keys,
  }),
  {
    name: 'api-key issue',
    summary: 'issue an API key, which is shown once',
    arguments: { ...CLIENT, '<label>': 'what it is for' },
    options: { '--expires <time>': 'when it ends: ISO 8601, or 30d from now', ...REASON },
    run: onServiceAccount(async (core, id, values) => {
      const given = {
        label: values.required('label'),
        expiresAt: values.time('expires'),
        reason: values.text('reason'),
      };
      const { keyId, apiKey, label } = await core
        .client(ApiKeyServiceService)
        .issueApiKey({ serviceAccountId: id, ...given });
      return { value: { keyId, apiKey, label }, note: 'keep the API key now; it is not shown again' };
    }),
  },
  {
    name: 'api-key revoke',
    summary: 'revoke an API key at once',
    arguments: { ...CLIENT, '<key>': 'the id of the key' },
    options: REASON,
    ends: (values) => `ends API key ${values.required('key')} of service account ${values.required('client')}`,
    run: onServiceAccount(async (core, id, values) => {
      const keyId = values.required('key');
      await core
        .client(ApiKeyServiceService)
        .revokeApiKey({ serviceAccountId: id, keyId, reason: values.text('reason') });
      return { value: { keyId, revoked: true }, text: `API key ${keyId} revoked` };
    }),
  },
];
