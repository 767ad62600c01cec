// The network of counted failures: the client's address behind proxies in any format, and none if it is unknown.
import { afterEach, describe, expect, it } from 'vitest';
import { deploy, TRANSPORTS, type Deployment } from '../../support/deployment.ts';
import { restClient } from '../../support/rest-client.ts';
import { rememberPasswords } from '../../support/argon2.ts';

rememberPasswords();

const POINTS = 3;
const WARNING = /failed logins and refreshes from this peer are not limited/;

describe.each(TRANSPORTS)('the client address over %s', (transport) => {
  let deployment: Deployment;
  let lines: string[];
  const start = async (trustedProxies: string) => {
    lines = [];
    deployment = await deploy({
      engine: 'sqlite',
      transport,
      settings: {
        'app.http.trusted-proxies': trustedProxies,
        'app.security.login.rate-limit.store': 'memory',
        'app.security.login.rate-limit.points': String(POINTS),
      },
      log: { write: (line) => void lines.push(line) },
    });
  };
  const fail = async (forwardedFor?: string) => {
    const headers = forwardedFor === undefined ? undefined : { 'x-forwarded-for': forwardedFor };
    return (await restClient(deployment.url).login({ username: 'nobody', password: 'x' }, headers)).status;
  };
  const failUntilLimited = async (forwardedFor?: string) => {
    for (let i = 0; i < POINTS; i += 1) expect(await fail(forwardedFor)).toBe(401);
    expect(await fail(forwardedFor)).toBe(429);
  };
  const warnings = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => WARNING.test(msg));
  afterEach(() => deployment?.close());

  it('reads ports, brackets and mapped IPv4 addresses', async () => {
    await start('127.0.0.1');
    await failUntilLimited('192.0.2.1:51234');
    for (const same of ['192.0.2.1', '192.0.2.1:2', '::ffff:192.0.2.1', '[::FFFF:C000:0201]:443', 'x, 192.0.2.1:1'])
      expect(await fail(same), same).toBe(429);
    await failUntilLimited('[2001:db8::1]:443');
    for (const same of ['2001:db8::2', '[2001:DB8:0:0:1::]', '2001:0db8::3%eth0'])
      expect(await fail(same), same).toBe(429);
    for (const other of ['192.0.2.2:51234', '::ffff:192.0.2.3', '[2001:db8:0:1::1]:443'])
      expect(await fail(other), other).toBe(401);
    expect(warnings()).toEqual([]);
  });

  it('reads the addresses of trusted proxies, also with ports', async () => {
    await start('127.0.0.1,10.0.0.0/8,2001:db8:ffff::/48');
    await failUntilLimited('192.0.2.1, 10.1.2.3:8080');
    expect(await fail('192.0.2.1:5, [2001:db8:ffff::7]:80, ::ffff:10.1.2.4')).toBe(429);
    expect(await fail('192.0.2.2, 10.1.2.3:8080')).toBe(401);
  });

  it.each(['unknown', '_hidden', '192.0.2.999', '[192.0.2.1', '192.0.2.1:x', '1.2.3.4.5', '192.0.2.1, for=1'])(
    'counts a client whose address a trusted proxy sends unreadably as the proxy: %s',
    async (garbage) => {
      await start('127.0.0.1');
      await failUntilLimited(garbage);
      expect(await fail()).toBe(429);
      await failUntilLimited('192.0.2.1');
      expect(warnings()).toEqual([]);
    },
  );

  it('counts a client in a trusted network that sends its proxy an unreadable address', async () => {
    await start('127.0.0.1,10.0.0.0/8');
    await failUntilLimited('unknown, 10.1.2.3');
    expect(await fail('_other, 10.1.2.3')).toBe(429);
    expect(await fail('unknown, 10.1.2.4')).toBe(401);
  });

  it('warns once a minute about an unlisted proxy, and does not count its clients as one', async () => {
    await start('192.0.2.99');
    for (let i = 0; i < 2 * POINTS; i += 1) expect(await fail(`192.0.2.${i}`)).toBe(401);
    expect(warnings()).toMatchObject([{ peer: '127.0.0.1', msg: expect.stringContaining('app.http.trusted-proxies') }]);
    deployment.clock.advance(59_999);
    await fail('192.0.2.1');
    expect(warnings()).toHaveLength(1);
    deployment.clock.advance(1);
    await fail('192.0.2.1');
    expect(warnings()).toHaveLength(2);
    await failUntilLimited();
    expect(await fail('192.0.2.1')).toBe(401);
  });

  it('warns about an unlisted proxy also without any trusted proxy', async () => {
    await start('none');
    for (let i = 0; i < 2 * POINTS; i += 1) expect(await fail('192.0.2.1')).toBe(401);
    expect(warnings()).toHaveLength(1);
    await failUntilLimited();
  });
});
