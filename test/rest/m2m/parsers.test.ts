// The parsers of the token endpoint with unusual and random input.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { basicAuthentication } from '../../../gateway/auth/m2m/basic-authentication.ts';
import { readClientRequest } from '../../../gateway/auth/m2m/client-request.ts';
import { parseForm } from '../../../gateway/auth/m2m/form-parser.ts';
import { toErrorDescription, tokenErrorOf } from '../../../gateway/auth/m2m/token-error.ts';
import { parametersOf } from '../../../gateway/auth/m2m/client-parameters.ts';
import { contracts } from '../../../gateway/contract/contracts.ts';
import { CATALOGUE, type FailureName } from '../../../src/platform/problem/catalogue.ts';
import { GatewayError } from '../../../gateway/errors/gateway-error.ts';
import { clientCredentialsOf } from '../../../src/auth/client-credentials/issue-token.ts';
import { ServiceError } from '../../../src/platform/errors.ts';
import { basic, FORM, formEncoded } from './clients.ts';
import { anyText } from '../../support/texts.ts';

/** What a refusal by a parser is: INVALID_REQUEST and nothing of the input. */
function refusalOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof GatewayError) return error.failure;
    if (error instanceof ServiceError) return error.reason;
    throw error;
  }
}

const text = fc.string({ unit: 'grapheme' });
const bytes = fc.uint8Array({ maxLength: 200 });
const crumbs = fc.array(
  fc.constantFrom('grant_type', 'client_id', 'scope', '=', '&', '%', '%41', '%zz', '%ff', '+', '\0', 'é', ':'),
  { maxLength: 20 },
);
const mess = fc.oneof(
  bytes,
  crumbs.map((parts) => new TextEncoder().encode(parts.join(''))),
);

describe('the form parser', () => {
  it('parses every encoded form', () => {
    const parameters = fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name });
    fc.assert(
      fc.property(parameters, (pairs) => {
        const named = pairs.filter(([name, value]) => name !== '' || value !== '');
        const body = named.map(([name, value]) => `${formEncoded(name)}=${formEncoded(value)}`).join('&');
        expect([...parseForm(new TextEncoder().encode(body))]).toEqual(named);
      }),
    );
  });

  it('either parses other inputs or rejects them as INVALID_REQUEST', () => {
    fc.assert(
      fc.property(mess, (body) => {
        expect(['INVALID_REQUEST', undefined]).toContain(refusalOf(() => parseForm(body)));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a+b=c+d', { 'a b': 'c d' }],
    ['&&a=1&&', { a: '1' }],
    ['a', { a: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['=x', { '': 'x' }],
    [
      '__proto__=x&constructor=y',
      Object.fromEntries([
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ]),
    ],
  ])('parses %s', (body, expected) => {
    expect(Object.fromEntries(parseForm(Buffer.from(body)))).toEqual(expected);
  });

  it('parses 30,000 parameters', () => {
    const body = Buffer.from(Array.from({ length: 30_000 }, (_, i) => `p${i}`).join('&'));
    expect(parseForm(body).size).toBe(30_000);
  });
});

describe('the Basic parser', () => {
  it('parses every encoded client id and secret', () => {
    fc.assert(
      fc.property(text, text, (id, secret) => {
        expect(basicAuthentication([basic({ id, secret })])).toEqual({ clientId: id, clientSecret: secret });
      }),
    );
  });

  it('parses other inputs, ignores them, or rejects them as INVALID_REQUEST', () => {
    const headers = fc.oneof(
      anyText(),
      fc.string().map((rest) => `Basic ${rest}`),
      mess.map((decoded) => `Basic ${Buffer.from(decoded).toString('base64')}`),
    );
    fc.assert(
      fc.property(fc.array(headers, { maxLength: 3 }), (authorization) => {
        expect(['INVALID_REQUEST', undefined]).toContain(refusalOf(() => basicAuthentication(authorization)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps colons in the secret, and accepts plain characters without encoding', () => {
    const header = `Basic ${Buffer.from('id:a:b').toString('base64')}`;
    expect(basicAuthentication([header])).toEqual({ clientId: 'id', clientSecret: 'a:b' });
  });

  it('ignores other schemes', () => {
    expect(basicAuthentication([])).toBeUndefined();
    expect(basicAuthentication(['Bearer x'])).toBeUndefined();
    expect(basicAuthentication([''])).toBeUndefined();
  });
});

const { input } = contracts().methodOf('authservice.clientcredentials.v1.ClientCredentialsService/IssueToken');

describe('a whole token request', () => {
  it('is parsed, or rejected with its specific error', () => {
    const types = fc.constantFrom('application/json', FORM, 'text/plain', undefined, `${FORM}; charset=latin1`);
    const json = fc.json().map((body) => new TextEncoder().encode(body));
    const headers = fc.array(
      fc.string().map((rest) => `Basic ${rest}`),
      { maxLength: 1 },
    );
    fc.assert(
      fc.property(types, fc.oneof(mess, json), headers, (contentType, body, authorization) => {
        const request = { headers: contentType === undefined ? {} : { 'content-type': contentType } };
        const refusal = refusalOf(() =>
          clientCredentialsOf(readClientRequest(parametersOf(input), request, body, authorization)),
        );
        expect([
          'INVALID_REQUEST',
          'MALFORMED_REQUEST',
          'UNSUPPORTED_GRANT_TYPE',
          'INVALID_SCOPE',
          undefined,
        ]).toContain(refusal);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('errors', () => {
  it('has an OAuth code for every failure', () => {
    const codes = (Object.keys(CATALOGUE) as FailureName[]).map((name) => tokenErrorOf(name));
    const known = [
      'invalid_request',
      'invalid_client',
      'invalid_grant',
      'unauthorized_client',
      'unsupported_grant_type',
      'unsupported_response_type',
      'invalid_scope',
      'invalid_target',
      'insufficient_scope',
      'request_not_supported',
      'request_uri_not_supported',
      'registration_not_supported',
      'unsupported_token_type',
      'authorization_pending',
      'slow_down',
      'access_denied',
      'expired_token',
    ];
    for (const { status, code } of codes) {
      expect([...known, 'temporarily_unavailable', 'server_error']).toContain(code);
      expect(code === 'temporarily_unavailable').toBe(status === 429 || status === 503);
      expect(code === 'server_error').toBe(status === 500);
    }
  });

  it('keeps descriptions within the characters of RFC 6749', () => {
    fc.assert(
      fc.property(anyText(), (anything) => {
        expect(toErrorDescription(anything)).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/);
      }),
    );
    expect(toErrorDescription('a "b" \\c\n  at é😀')).toBe("a 'b' /c at ??");
  });
});
