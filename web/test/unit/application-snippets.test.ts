// The examples of the console that connect an application.
import { expect, it } from 'vitest';
import { snippetOf } from '../../src/console/applications/snippets.ts';

const APPLICATION = {
  type: 'WEB',
  clientId: 'wiki',
  redirectUris: ['http://localhost:3000/callback'],
  scopes: ['openid', 'profile', 'groups'],
} as const;
const HTTP = 'client.allowInsecureRequests';

it.each([
  ['http://localhost:8080', true],
  ['https://auth.example.com', false],
])('at %s, openid-client is told whether http is fine', (issuer, isHttp) => {
  const { library, text } = snippetOf({ ...APPLICATION, jwks: undefined } as never, issuer);
  expect(library).toBe('openid-client');
  expect(text).toContain(`new URL("${issuer}")`);
  expect(text).toContain('scope: "openid profile"');
  expect(text.includes(HTTP)).toBe(isHttp);
});
