// The metrics that parts of the process declare, and what they count.
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type {
  CompleteLoginRequest,
  ConfirmSessionRequest,
} from '../../proto/gen/authservice/session/v1/session_service.ts';
import { createAnswerCounts, createConfirmationCounts } from '../../src/auth/session/login/count-answers.ts';
import { ServiceError } from '../../src/platform/errors.ts';
import { countAuditEvents } from '../../src/auth/audit/trail/count-audit-events.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import { poolMetrics } from '../../src/platform/db/pool-metrics.ts';
import { createPasswordHasher } from '../../src/auth/identity/authentication/password-hasher.ts';
import type { Metric } from '../../src/platform/metric.ts';
import { createMetrics, watchMetrics } from '../../src/platform/process/metrics.ts';
import { createRateLimit } from '../../src/platform/limits/rate-limit.ts';
import { makeCertificates, writeCertificates } from '../support/certificates.ts';
import { watchCertificates } from '../../src/platform/rpc/grpc/certificates.ts';
import { emptyFolder } from '../support/service-process.ts';

/** The lines of metrics, as a scraper sees them, without comments. */
async function linesOf(metrics: readonly Metric[]): Promise<string[]> {
  const registry = new Registry();
  watchMetrics(registry, metrics);
  return valuesIn(await registry.metrics());
}

const valuesIn = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

it('reads metrics again at each scrape and joins those with one name', async () => {
  let value = 1;
  const part = (limit: string): Metric => ({
    name: 'decisions_total',
    help: 'Decisions.',
    type: 'counter',
    labelNames: ['limit'],
    read: () => [{ labels: { limit }, value }],
  });
  const registry = new Registry();
  watchMetrics(registry, [part('a'), part('b')]);
  await registry.metrics();
  value = 5;
  expect(valuesIn(await registry.metrics())).toEqual(['decisions_total{limit="a"} 5', 'decisions_total{limit="b"} 5']);
});

it('counts logins, confirmations, refreshes and grants by outcome and reason, and no other call', async () => {
  const metrics = createMetrics();
  const login = '/authservice.session.v1.SessionService/Login';
  const reasons = [
    'OK',
    'OK',
    'BAD_CREDENTIALS',
    'SECOND_FACTOR_REQUIRED',
    'AUTHENTICATION_SERVICE_UNAVAILABLE',
  ] as const;
  for (const reason of reasons) {
    metrics.observeRpc(login, reason, 1);
  }
  metrics.observeRpc('/authservice.session.v1.SessionService/ConfirmSession', 'BAD_CREDENTIALS', 1);
  metrics.observeRpc('/authservice.session.v1.SessionService/Refresh', 'REFRESH_SESSION_INVALID', 1);
  metrics.observeRpc('/authservice.clientcredentials.v1.ClientCredentialsService/IssueToken', 'OK', 1);
  metrics.observeRpc('/authservice.session.v1.SessionService/Logout', 'OK', 1);
  const text = await metrics.registry.metrics();
  expect(valuesIn(text).filter((line) => line.startsWith('authentications_total'))).toEqual([
    'authentications_total{kind="login",outcome="success",reason="OK"} 2',
    'authentications_total{kind="login",outcome="refused",reason="BAD_CREDENTIALS"} 1',
    'authentications_total{kind="login",outcome="challenge",reason="SECOND_FACTOR_REQUIRED"} 1',
    'authentications_total{kind="login",outcome="error",reason="AUTHENTICATION_SERVICE_UNAVAILABLE"} 1',
    'authentications_total{kind="confirmation",outcome="refused",reason="BAD_CREDENTIALS"} 1',
    'authentications_total{kind="refresh",outcome="refused",reason="REFRESH_SESSION_INVALID"} 1',
    'authentications_total{kind="grant",outcome="success",reason="OK"} 1',
  ]);
});

it('counts answers to challenges by method and outcome, also if minimal disclosure hides the reason', async () => {
  const { counted, metric } = createAnswerCounts();
  const proofs = { totp: '1', recoveryCode: '2' };
  const answer = counted(async (_request: Pick<CompleteLoginRequest, 'proof'>, error: Error | undefined) => {
    if (error) throw error;
  });
  const wrong = new ServiceError('SECOND_FACTOR_INVALID');
  const errors = [undefined, wrong, new ServiceError('BAD_CREDENTIALS', { cause: wrong }), new Error('defect')];
  for (const error of errors) await answer({ proof: { $case: 'totp', value: proofs.totp } }, error).catch(() => {});
  const locked = new ServiceError('SECOND_FACTOR_LOCKED');
  const ended = new ServiceError('CHALLENGE_INVALID');
  for (const error of [locked, ended])
    await answer({ proof: { $case: 'recoveryCode', value: proofs.recoveryCode } }, error).catch(() => {});
  expect((await linesOf([metric])).filter((line) => !line.endsWith(' 0'))).toEqual([
    'second_factor_answers_total{method="totp",outcome="success"} 1',
    'second_factor_answers_total{method="totp",outcome="wrong"} 2',
    'second_factor_answers_total{method="totp",outcome="error"} 1',
    'second_factor_answers_total{method="recovery-code",outcome="locked"} 1',
    'second_factor_answers_total{method="recovery-code",outcome="refused"} 1',
  ]);
});

it('counts confirmations by method and outcome', async () => {
  const { counted, metric } = createConfirmationCounts();
  const confirm = counted(async (_request: Pick<ConfirmSessionRequest, 'proof'>, error: Error | undefined) => {
    if (error) throw error;
  });
  const locked = new ServiceError('ACCOUNT_LOCKED');
  const errors = ['BAD_CREDENTIALS', 'SECOND_FACTOR_REQUIRED'] as const;
  for (const error of [undefined, ...errors.map((reason) => new ServiceError(reason)), locked])
    await confirm({ proof: { $case: 'password', value: '1' } }, error).catch(() => {});
  await confirm({ proof: { $case: 'passkey', value: '{}' } }, undefined);
  await confirm({}, new ServiceError('VALIDATION_ERROR')).catch(() => {});
  expect((await linesOf([metric])).filter((line) => !line.endsWith(' 0'))).toEqual([
    'session_confirmations_total{method="password",outcome="success"} 1',
    'session_confirmations_total{method="password",outcome="wrong"} 1',
    'session_confirmations_total{method="password",outcome="locked"} 1',
    'session_confirmations_total{method="password",outcome="refused"} 1',
    'session_confirmations_total{method="passkey",outcome="success"} 1',
  ]);
});

it('counts audit events, with the reasons of a closed list only', async () => {
  const { count, metric } = countAuditEvents();
  const about = { tenantId: undefined };
  count({ event: 'login.failed', ...about, details: { reason: 'BAD_CREDENTIALS' } });
  count({ event: 'login.failed', ...about, details: { reason: 'BAD_CREDENTIALS' } });
  count({ event: 'session.refresh-refused', ...about, details: { class: 'expired', reason: 'at 12:00' } });
  count({ event: 'api-key.refused', ...about, details: { reason: 'free text' } });
  count({ event: 'session.refresh-token-replayed', ...about });
  expect(await linesOf([metric])).toEqual([
    'audit_events_total{event="login.failed",reason="BAD_CREDENTIALS"} 2',
    'audit_events_total{event="session.refresh-refused",reason="expired"} 1',
    'audit_events_total{event="api-key.refused",reason=""} 1',
    'audit_events_total{event="session.refresh-token-replayed",reason=""} 1',
  ]);
});

it('shows running and queued password hashes', async () => {
  const hasher = createPasswordHasher({ maxConcurrent: 1, maxQueued: 5, maxMemoryBytes: 2 ** 30 });
  const requester = { clientAddress: '10.0.0.1', deadline: UNLIMITED };
  const held = Promise.withResolvers<void>();
  const works = [1, 2, 3].map(() => hasher.runLimited(requester, undefined, () => held.promise));
  expect(await linesOf(hasher.metrics)).toEqual(['password_hashes_running 1', 'password_hashes_queued 2']);
  held.resolve();
  await Promise.all(works);
  expect(await linesOf(hasher.metrics)).toEqual(['password_hashes_running 0', 'password_hashes_queued 0']);
});

it('shows used and idle connections, the callers that wait for one, and long reads', async () => {
  const pool = createPool({
    max: 2,
    acquireTimeoutMs: 10_000,
    create: async () => ({}),
    isUsable: () => true,
    destroy: () => {},
  });
  const shown = () => linesOf(poolMetrics({ poolState: pool.state, longReads: { running: 3, queued: 4 } }));
  const [first, second] = [await pool.acquire(), await pool.acquire()];
  const waiting = pool.acquire();
  expect(await shown()).toEqual([
    'database_connections{state="used"} 2',
    'database_connections{state="idle"} 0',
    'database_connections_max 2',
    'database_connection_waiters 1',
    'database_long_reads_running 3',
    'database_long_reads_queued 4',
  ]);
  pool.release(first);
  pool.release(await waiting);
  pool.release(second);
  expect((await shown()).slice(0, 2)).toEqual([
    'database_connections{state="used"} 0',
    'database_connections{state="idle"} 2',
  ]);
});

it('counts the decisions of a rate limit', async () => {
  const limit = createRateLimit({
    name: 'login',
    store: 'memory',
    points: 1,
    windowMs: 60_000,
    clock: () => 0,
  } as never)!;
  await limit.consume('a', UNLIMITED);
  await limit.consume('a', UNLIMITED);
  await limit.check('a');
  expect(await linesOf(limit.metrics)).toEqual([
    'rate_limit_decisions_total{limit="login",decision="allowed"} 1',
    'rate_limit_decisions_total{limit="login",decision="refused"} 2',
  ]);
});

describe('certificates', () => {
  const names = { server: { commonName: 'core', alternative: 'DNS:localhost' } };

  it('shows the validity of own certificate and authority', async () => {
    const certificates = makeCertificates(names);
    const { server, ca } = writeCertificates(emptyFolder(), certificates);
    const metrics = createMetrics();
    watchCertificates({ ...server, ca }, undefined, metrics.observeCertificates('rpc'));
    const lines = valuesIn(await metrics.registry.metrics()).filter((line) => line.startsWith('tls_'));
    expect(lines.map((line) => line.replace(/ .*/, ''))).toEqual([
      'tls_certificate_not_after_timestamp_seconds{user="rpc",certificate="own"}',
      'tls_certificate_not_after_timestamp_seconds{user="rpc",certificate="authority"}',
      'tls_certificate_not_before_timestamp_seconds{user="rpc",certificate="own"}',
      'tls_certificate_not_before_timestamp_seconds{user="rpc",certificate="authority"}',
      'tls_certificate_files_invalid{user="rpc"}',
    ]);
    const values = lines.map((line) => Number(line.split(' ').at(-1)));
    const { validFromDate, validToDate } = new X509Certificate(certificates.server.cert);
    expect([values[0], values[2]]).toEqual([validToDate, validFromDate].map((date) => date.getTime() / 1_000));
    expect(values[4]).toBe(0);
  });

  it('reports changed files as invalid until they are valid again', async () => {
    const { server, ca } = writeCertificates(emptyFolder(), makeCertificates(names));
    const metrics = createMetrics();
    let look = async () => {};
    const provider = watchCertificates({ ...server, ca }, undefined, metrics.observeCertificates('rpc'), (run) => {
      look = run;
      return () => {};
    });
    const listener = () => {};
    provider.addIdentityCertificateListener(listener);
    const isInvalid = async () =>
      /^tls_certificate_files_invalid\S* (\d)$/m.exec(await metrics.registry.metrics())?.[1];
    const valid = readFileSync(server.cert);
    writeFileSync(server.cert, 'no certificate');
    await look();
    expect(await isInvalid()).toBe('0');
    await look();
    expect(await isInvalid()).toBe('1');
    writeFileSync(server.cert, Buffer.concat([valid, Buffer.from('\n')]));
    await look();
    await look();
    expect(await isInvalid()).toBe('0');
    provider.removeIdentityCertificateListener(listener);
  });
});
