// Floods of gRPC calls on few connections, and of checks for an Envoy: what callers of REST wait.
import { connect, type ClientHttp2Session } from 'node:http2';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DashboardServiceService } from '../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { AuthorizationService } from '../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import { ENGINES } from '../support/databases.ts';
import { emptyFolder, type SettingFlags } from '../support/service-process.ts';
import { attackedService, type AttackedService } from './attacked-service.ts';

const STATS = '/api/v1/dashboard/stats';
const CALLS = 10_000;
/** What a request of another caller may take, in milliseconds. */
const LONGEST_MS = 2_500;
/** On a busy machine. */
const LONGEST_TIMES_ALONE = 40;

let service: AttackedService;
let sessions: ClientHttp2Session[] = [];
afterEach(async () => {
  for (const session of sessions) session.destroy();
  sessions = [];
  await service?.close();
});

async function start(...[engine, settings]: [Parameters<typeof attackedService>[0], SettingFlags?]): Promise<void> {
  service = await attackedService(engine, settings);
  await service.measure(STATS, Promise.resolve());
}

function openSession(socket?: string): ClientHttp2Session {
  const target = socket === undefined ? `http://${service.addresses.rpc}` : 'http://core';
  const session = connect(target, socket === undefined ? {} : { path: socket });
  sessions.push(session.on('error', () => undefined));
  return session;
}

/** Sends a call. Resolves when it has ended, however that is. */
function call(session: ClientHttp2Session, path: string, message: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
    const stream = session.request({ ...headers, ...service.attacker });
    const framed = Buffer.alloc(5 + message.length);
    framed.writeUInt32BE(message.length, 1);
    framed.set(message, 5);
    stream.on('error', () => undefined).on('close', resolve);
    stream.resume().end(framed);
  });
}

async function flood(connections: readonly ClientHttp2Session[], path: string, message: Uint8Array): Promise<void> {
  const perConnection = CALLS / connections.length;
  await Promise.all(
    connections.flatMap((session) => Array.from({ length: perConnection }, () => call(session, path, message))),
  );
}

const getStats = DashboardServiceService.getDashboardStats;

describe.each(ENGINES)('on %s', (engine) => {
  it.each([1, 50])(
    `answers other callers during ${CALLS} calls of GetDashboardStats on %i connections`,
    async (count) => {
      await start(engine);
      const alone = await service.measure(STATS, Promise.resolve());
      const attack = flood(
        Array.from({ length: count }, () => openSession()),
        getStats.path,
        getStats.requestSerialize({}),
      );
      const during = await service.measure(STATS, attack);
      expect([...during.statuses]).toEqual([200]);
      expect(during.longest).toBeLessThan(Math.max(LONGEST_MS, LONGEST_TIMES_ALONE * alone.median));
    },
  );

  it(`answers other callers during ${CALLS} checks of an Envoy`, async () => {
    const socket = join(emptyFolder(), 'core.sock');
    await start(engine, { 'app.rpc.host': `unix:${socket}` });
    const alone = await service.measure(STATS, Promise.resolve());
    const { path, requestSerialize } = AuthorizationService.check;
    const http = { headers: service.attacker, path: '/' };
    const message = requestSerialize({ attributes: { request: { http }, contextExtensions: {} } });
    const during = await service.measure(STATS, flood([openSession(socket)], path, message));
    expect([...during.statuses]).toEqual([200]);
    expect(during.longest).toBeLessThan(Math.max(LONGEST_MS, LONGEST_TIMES_ALONE * alone.median));
  });
});
