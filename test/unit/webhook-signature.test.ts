// Signatures of webhooks. That the packages of receivers accept them is shown in test/languages.
import { expect, it } from 'vitest';
import { maskedHeaders, requestHeaders } from '../../src/auth/webhook/delivery-message.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const MESSAGE = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  sentAt: 1_614_265_330_999,
  body: Buffer.from('{"test": 2432232314}'),
};
/** An example of Svix, from which Standard Webhooks comes. */
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

it('signs the id, the second and the body', () => {
  expect(requestHeaders([SECRET], MESSAGE)).toEqual({
    'content-type': 'application/json',
    'user-agent': 'authservice',
    'webhook-id': MESSAGE.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': SIGNATURE,
  });
});

it('signs with each secret while one replaces the other', () => {
  const other = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
  const signature = (secrets: readonly string[]) => requestHeaders(secrets, MESSAGE)['webhook-signature'];
  expect(signature([other, SECRET])).toBe(`${signature([other])} ${SIGNATURE}`);
});

it('shows the headers of a request without its signature', () => {
  const sent = requestHeaders([SECRET], MESSAGE);
  expect(maskedHeaders(MESSAGE)).toEqual({ ...sent, 'webhook-signature': 'v1,***' });
});
