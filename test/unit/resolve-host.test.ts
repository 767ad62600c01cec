// The look-up of names that tenants chose.
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createResolveHost, type HostAddress } from '../../src/platform/http/resolve-host.ts';
import { maxLookups } from '../../src/platform/process/thread-pool.ts';

const ADDRESS: HostAddress = { address: '192.0.2.1', family: 4 };
const NOT_FOUND = 'the host name was not found';
const NO_ANSWER = 'the host name could not be resolved: the name servers did not answer';

/** The names of the hosts file of this machine. */
const HOSTS = readFileSync('/etc/hosts', 'utf8')
  .split('\n')
  .map((line) => line.replace(/#.*/, '').trim().split(/\s+/))
  .flatMap(([address, ...names]) => names.map((name) => [name, address!] as const));

const failing = (code: string) => async () => {
  throw Object.assign(new Error('secret'), { code });
};
const never = () => new Promise<readonly HostAddress[]>(() => {});

describe('a name', () => {
  it.each(HOSTS)('%s of the hosts file is found', async (name) => {
    const wanted = HOSTS.filter(([other]) => other === name).map(([, address]) => address);
    const found = await createResolveHost()(name, 'acme');
    expect(wanted).toContain(found[0]!.address);
  });

  it.each([
    ['ENOTFOUND', NOT_FOUND],
    ['EAI_AGAIN', NO_ANSWER],
    ['EAI_FAIL', NO_ANSWER],
  ])('with %s has no address', async (code, message) => {
    const resolve = createResolveHost({ lookUp: failing(code) });
    await expect(resolve('hooks.example', 'acme')).rejects.toThrow(new Error(message));
  });

  it('whose name servers do not answer is waited for until the limit', async () => {
    const resolve = createResolveHost({ lookUp: never, timeLimitMs: 1, maxConcurrent: 2 });
    await expect(resolve('running.example', 'acme')).rejects.toThrow(NO_ANSWER);
    await expect(resolve('waiting.example', 'acme')).rejects.toThrow(NO_ANSWER);
  });

  it.each(['localhost', 'hooks.localhost', 'LOCALHOST.'])('%s needs no name server', async (name) => {
    const found = await createResolveHost({ lookUp: failing('EAI_AGAIN') })(name, 'acme');
    expect(found.map(({ address }) => address)).toEqual(['127.0.0.1', '::1']);
  });
});

describe('look-ups', () => {
  it('of one name at the same time are one', async () => {
    let asked = 0;
    const resolve = createResolveHost({
      async lookUp() {
        asked += 1;
        return [ADDRESS];
      },
    });
    const found = await Promise.all(['acme', 'acme', 'globex'].map((owner) => resolve('hooks.example', owner)));
    expect([found, asked]).toEqual([[[ADDRESS], [ADDRESS], [ADDRESS]], 1]);
    await resolve('hooks.example', 'acme');
    expect(asked).toBe(2);
  });

  it('of an owner that do not end leave places to the names of others', async () => {
    const asked: string[] = [];
    const resolve = createResolveHost({
      maxConcurrent: 4,
      timeLimitMs: 60_000,
      async lookUp(host) {
        asked.push(host);
        return host.startsWith('slow') ? never() : [ADDRESS];
      },
    });
    for (let index = 0; index < 10; index += 1) void resolve(`slow${index}.example`, 'acme').catch(() => undefined);
    expect(await resolve('hooks.example', 'globex')).toEqual([ADDRESS]);
    expect(asked).toEqual(['slow0.example', 'slow1.example', 'hooks.example']);
  });
});

describe('the places for look-ups', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each([
    ['34', 13],
    ['10', 1],
    ['4', 1],
    ['1', 1],
    ['x', 1],
  ])('of a pool of %s threads are %i', (size, places) => {
    vi.stubEnv('UV_THREADPOOL_SIZE', size);
    expect(maxLookups()).toBe(places);
  });
});
