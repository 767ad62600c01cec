// Core and gateway in two processes, connected by mTLS, with traffic of all kinds.
import { join } from 'node:path';
import { makeCertificates, writeCertificates } from '../support/certificates.ts';
import { restClient, sessionOf } from '../support/rest-client.ts';
import { emptyFolder, FREE_PORTS, startProgram, type ServiceProcess } from '../support/service-process.ts';

const PASSWORD = 'demo-password-1';
const NAMES = {
  server: { commonName: 'core', alternative: 'DNS:localhost,IP:127.0.0.1' },
  gateway: { commonName: 'gateway', alternative: 'DNS:gateway' },
};

export interface MonitoredService {
  readonly processes: readonly ServiceProcess[];
  /** Base URL of the REST interface. */
  readonly http: string;
  /** Base URLs of the management ports. */
  readonly management: { readonly core: string; readonly gateway: string };
}

const PUBLIC_URL = 'http://localhost:8080';

/** Starts both processes with the demo data. Their traces and audit records go to the collector, if there is one. */
export async function startMonitored(collector?: string): Promise<MonitoredService> {
  const files = writeCertificates(emptyFolder(), makeCertificates(NAMES));
  const tracing = (name: string) => ({
    ...(collector && { 'app.tracing.otlp-endpoint': collector, 'app.tracing.service-name': name }),
  });
  const core = startProgram('core', {
    settings: {
      ...FREE_PORTS,
      ...tracing('core'),
      'app.public-url': PUBLIC_URL,
      'app.mail.url': `file:${emptyFolder()}`,
      ...(collector && { 'app.audit.otlp-endpoint': collector }),
      'app.env': 'DEV',
      'app.database.url': `sqlite:${join(emptyFolder(), 'service.db')}`,
      'app.rpc.tls.cert': files.server.cert,
      'app.rpc.tls.key': files.server.key,
      'app.rpc.tls.client-ca': files.ca,
      'app.rpc.trusted-gateways': 'gateway',
      'app.security.login.rate-limit.store': 'memory',
      'app.security.m2m.rate-limit.store': 'memory',
      // All failed logins come from one address.
      'app.security.login.rate-limit.points': '100000',
    },
  });
  const { rpc, management } = await core.ready();
  const gateway = startProgram('gateway', {
    settings: {
      ...FREE_PORTS,
      ...tracing('gateway'),
      'app.public-url': PUBLIC_URL,
      // The trace of a test continues.
      'app.http.trusted-proxies': '127.0.0.1',
      'app.env': 'DEV',
      'app.gateway.core': `dns:///${rpc}`,
      'app.gateway.tls.ca': files.ca,
      'app.gateway.tls.cert': files.gateway.cert,
      'app.gateway.tls.key': files.gateway.key,
    },
  });
  const addresses = await gateway.ready();
  return {
    processes: [gateway, core],
    http: addresses.http,
    management: { core: management, gateway: addresses.management },
  };
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** One round of logins, refreshes, a replay, grants, requests of applications and lists, of which some are refused. */
export async function sendTraffic(http: string): Promise<void> {
  const rest = restClient(http);
  const login = sessionOf(await rest.login({ username: 'sam@acme.test', password: PASSWORD }));
  await rest.login({ username: 'nobody@acme.test', password: 'wrong' });
  const next = sessionOf(await rest.refresh(login.cookie));
  await rest.refresh(login.cookie);
  await rest.refresh();
  await rest.me(next.accessToken);
  for (const clientSecret of ['demo-secret-acme-sync-0123456789abcdef', 'a-wrong-secret']) {
    await rest.send('POST', '/api/v1/auth/token', {
      headers: FORM,
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'acme-sync',
        client_secret: clientSecret,
      }).toString(),
    });
  }
  await rest.send('GET', '/api/v1/auth/oauth2/authorize?client_id=unknown&response_type=code');
  await rest.send('POST', '/api/v1/auth/oauth2/token', {
    headers: FORM,
    body: 'grant_type=authorization_code&client_id=unknown&code=unknown',
  });
  const { accessToken } = sessionOf(await rest.login({ username: 'alice@acme.test', password: PASSWORD }));
  for (const path of ['orders', 'products', 'customers', 'unknown']) {
    await rest.send('GET', `/api/v1/${path}`, { headers: { authorization: `Bearer ${accessToken}` } });
  }
}
