import { ApiKeyServiceService } from '../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import type { Command } from '../command.ts';
import { serviceAccountId, LIMIT_OPTION, list } from './lists.ts';

const CLIENT = { '<client>': 'the client id or the id of the service account' };

export const API_KEY_COMMANDS: readonly Command[] = [
  {
    name: 'api-key list',
    summary: 'list the API keys of a service account',
    uses: 'core',
    arguments: CLIENT,
    options: LIMIT_OPTION,
    async run({ values, core }) {
      const opened = await core();
      const id = await serviceAccountId(opened, values.required('client'));
      const { listApiKeys } = opened.client(ApiKeyServiceService);
      return list(values, ['keyId', 'label', 'prefix', 'createdAt', 'lastUsedAt', 'expiresAt'], async (page) => {
        const response = await listApiKeys({ serviceAccountId: id, page });
        return { items: response.keys, page: response.page };
      });
    },
  },
  {
    name: 'api-key issue',
    summary: 'issue an API key, which is shown once',
    uses: 'core',
    arguments: { ...CLIENT, '<label>': 'what it is for' },
    options: { '--expires <time>': 'when it ends: ISO 8601, or 30d from now' },
    async run({ values, core }) {
      const opened = await core();
      const id = await serviceAccountId(opened, values.required('client'));
      const { keyId, apiKey, label } = await opened
        .client(ApiKeyServiceService)
        .issueApiKey({ serviceAccountId: id, label: values.required('label'), expiresAt: values.time('expires') });
      return { value: { keyId, apiKey, label }, note: 'keep the API key now; it is not shown again' };
    },
  },
  {
    name: 'api-key revoke',
    summary: 'revoke an API key at once',
    uses: 'core',
    arguments: { ...CLIENT, '<key>': 'the id of the key' },
    ends: (values) => `ends API key ${values.required('key')} of service account ${values.required('client')}`,
    async run({ values, core }) {
      const opened = await core();
      const id = await serviceAccountId(opened, values.required('client'));
      const keyId = values.required('key');
      await opened.client(ApiKeyServiceService).revokeApiKey({ serviceAccountId: id, keyId });
      return { value: { keyId, revoked: true }, text: `API key ${keyId} revoked` };
    },
  },
];
