// Access tokens of applications: which are accepted as such, and that none is taken for a token of this service.
import { describe, expect, it } from 'vitest';
import { invalid, open, SUBJECT, thrownBy } from './access-token-fixture.ts';

const GRANT = { gid: 'grant-1', scope: 'openid' };
const NOT_OWN = invalid('the token is for an application, not for this service');
const NOT_ISSUED = invalid('the token was not issued to an application');

describe('verifyOfApplication', () => {
  it.each([['api'], ['https://reports.test'], ['shop'], [['api', 'other']], [['other']]])(
    'accepts the audience %j, also a second time without a look-up',
    async (aud) => {
      const { tokens, sign, lookUps } = await open();
      const token = sign({ ...GRANT, aud });
      const claims = await tokens.verifyOfApplication(token);
      expect(claims).toMatchObject({ ...GRANT, sub: 'account-1' });
      expect(await tokens.verifyOfApplication(token)).toEqual(claims);
      expect(lookUps()).toBe(1);
    },
  );

  it('accepts what was signed for a grant', async () => {
    const { tokens } = await open();
    const grant = { id: 'grant-1', audience: 'https://reports.test', scope: 'openid email' };
    const { token } = await tokens.sign({ ...SUBJECT, grant }, 60_000);
    expect(await tokens.verifyOfApplication(token)).toMatchObject({
      gid: 'grant-1',
      aud: 'https://reports.test',
      scope: 'openid email',
    });
  });

  it('looks at a remembered token again after its end, and after that of its key', async () => {
    const { tokens, sign, clock, verifying, lookUps } = await open();
    const token = sign(GRANT);
    await tokens.verifyOfApplication(token);
    verifying.clear();
    await tokens.verifyOfApplication(token);
    expect(lookUps()).toBe(2);
    verifying.add('key-1');
    clock.advance(900_000);
    expect(await thrownBy(() => tokens.verifyOfApplication(token))).toEqual(
      invalid('the token failed verification: ERR_JWT_EXPIRED'),
    );
  });

  it.each([{}, { gid: 'grant-1' }, { scope: 'openid' }, { gid: 1, scope: 'openid' }, { gid: 'grant-1', scope: 1 }])(
    'rejects a token with the claims %j, new or remembered',
    async (claims) => {
      const { tokens, sign } = await open();
      const token = sign(claims);
      expect(await thrownBy(() => tokens.verifyOfApplication(token))).toEqual(NOT_ISSUED);
      expect(await thrownBy(() => tokens.verifyOfApplication(token))).toEqual(NOT_ISSUED);
    },
  );
});

describe('a token of an application', () => {
  it('is for this service if its audience is, and that is not the issuer', async () => {
    const { tokens, sign } = await open();
    const token = sign({ ...GRANT, aud: ['other', 'api'] });
    expect(tokens.verified(token)).toBeUndefined();
    expect(await tokens.verify(token)).toMatchObject({ aud: 'api' });
    expect(tokens.verified(token)).toMatchObject({ aud: 'api' });
    const foreign = sign({ ...GRANT, aud: 'https://reports.test' });
    await tokens.verifyOfApplication(foreign);
    expect(tokens.verified(foreign)).toBeUndefined();
    expect(await thrownBy(() => tokens.verify(foreign))).toEqual(
      invalid('the token failed verification: ERR_JWT_CLAIM_VALIDATION_FAILED'),
    );
  });

  it('is not for this service if audience and issuer have one name; a token without a grant is', async () => {
    const { tokens, sign } = await open('ES256', { issuer: 'api' });
    const granted = sign({ ...GRANT, iss: 'api' });
    expect(await thrownBy(() => tokens.verify(granted))).toEqual(NOT_OWN);
    expect(tokens.verified(granted)).toBeUndefined();
    const own = sign({ iss: 'api' });
    expect(await tokens.verify(own)).toMatchObject({ aud: 'api', gid: undefined });
    expect(tokens.verified(own)).toBeDefined();
  });
});

describe('decode', () => {
  it.each([
    ['api', 'api'],
    ['other', 'other'],
    [['other', 'api'], 'api'],
    [['other'], undefined],
    [7, undefined],
    [undefined, undefined],
  ])('reads the audience %j as %j', async (aud, expected) => {
    const { tokens, sign } = await open();
    expect(tokens.decode(sign({ aud })).aud).toBe(expected);
  });

  it.each(['iss', 'gid', 'scope'] as const)('reads the claim %s if it is a text', async (name) => {
    const { tokens, sign } = await open();
    expect(tokens.decode(sign({ [name]: 'text' }))[name]).toBe('text');
    expect(tokens.decode(sign({ [name]: 7 }))[name]).toBeUndefined();
  });
});
