import { duration, flag, integer, list, optional, path, pattern } from '../kinds.ts';
import {
  allowedOrigins,
  contextPath,
  coreTarget,
  host,
  hostName,
  hostOrSocket,
  networks,
  port,
  publicUrl,
} from '../network-kinds.ts';
import { both, core, gateway, type Basis } from '../setting.ts';

/** The addresses that the processes listen on and connect to. */
export const NETWORK_SETTINGS = {
  'app.http.host': gateway(host, '127.0.0.1', 'Address of the public REST interface.'),
  'app.http.port': gateway(port, '8080', 'Port of the public REST interface. 0 selects a free port and prints it.'),
  'app.http.context-path': gateway(
    contextPath,
    'any',
    '`any`: business endpoints match behind any leading path, authentication endpoints at the root. `/shop`: ' +
      'all endpoints of `/api/v1` are below that prefix only. The Path of the cookie contains it.',
  ),
  'app.public-url': both(
    optional(publicUrl),
    {
      rule: 'none; in DEV `http://localhost:<app.http.port>` and the context path, unless that port is 0',
      of: (basis) => (basis['app.env'] === 'DEV' ? localUrl(basis) : undefined),
    },
    'URL of the service for browsers, mails and OAuth clients. Its path is `app.http.context-path`, none for `any`. It must ' +
      'be https in PROD, except on `localhost`. Tokens name it as their issuer. If it is set, the Host header of requests has ' +
      'no effect: a page on another origin needs `app.http.cors.allowed-origins`. Gateway and core need the same value.',
  ),
  'app.http.trusted-proxies': gateway(
    networks,
    'none',
    'Reverse proxies whose X-Forwarded-For and traceparent are accepted. All other peers cannot set the address or the trace.',
  ),
  'app.http.cors.allowed-origins': both(
    allowedOrigins,
    {
      rule: 'none; in DEV any port of http://localhost and http://127.0.0.1',
      of: (basis) => ({ origins: [], anyLoopbackPort: basis['app.env'] === 'DEV' }),
    },
    'Web origins that can send requests with credentials. A core that runs apart needs them for policies of tenants with ' +
      '`allowedOrigins`.',
  ),
  'app.http.docs': gateway(
    flag,
    { rule: '`false` in PROD, else `true`', of: (basis) => basis['app.env'] !== 'PROD' },
    'Whether `/docs` and `/openapi.json` are served. The isolation check needs them.',
  ),
  'app.http.pages': gateway(
    flag,
    {
      rule:
        '`true` in DEV, if `app.public-url` begins with `https:`, if `app.mail.url` is set, and if `app.oauth.enabled` is ' +
        '`true`, else `false`',
      of: (basis) =>
        basis['app.env'] === 'DEV' ||
        basis['app.public-url']?.startsWith('https:') === true ||
        basis['app.mail.url'] !== undefined ||
        basis['app.oauth.enabled'],
    },
    'Whether the pages of docs/pages.md are served: `/login` and others for users, and `/console` for administrators. In PROD they ' +
      'need `app.public-url`.',
  ),
  'app.http.hsts': gateway(
    optional(duration('1s', '3650d')),
    'none',
    '`max-age` of the header Strict-Transport-Security, such as `365d`. Browsers then use HTTPS only. The ' +
      'header is sent if a trusted proxy reports HTTPS.',
  ),
  'app.http.max-connections': gateway(
    integer(16, 100_000),
    '4000',
    'Maximum number of open connections of the public REST interface, per process. The start lowers it if the ' +
      'limit of file descriptors is too low.',
  ),
  'app.http.max-connections-per-address': gateway(
    integer(1, 100_000),
    '256',
    'Maximum number of open connections of the public REST interface from one IPv4 address or IPv6 /64. It is ' +
      'at most half of `app.http.max-connections`. It does not apply to `app.http.trusted-proxies` and loopback.',
  ),
  'app.management.host': both(host, '127.0.0.1', 'Address of metrics and health.'),
  'app.management.port': both(port, '9090', 'Port of metrics and health. 0 selects a free port.'),
  'app.management.max-connections': both(
    integer(2, 10_000),
    '50',
    'Maximum number of open connections of the management port. One remote address can have half of them.',
  ),
  'app.management.allowed-hosts': both(
    list('host names', hostName),
    'none',
    'Names in the Host header that the management port accepts. It always accepts IP addresses, `localhost`, ' +
      "`app.management.host` and the machine's name. Other names are refused, which prevents DNS rebinding.",
  ),
  'app.gateway.core': gateway(
    coreTarget,
    'local',
    "`local`: the core runs in the gateway's process. Otherwise the gRPC target of the core.",
  ),
  'app.gateway.tls.ca': gateway(
    optional(path),
    'none',
    "PEM file with the authorities of the core's certificate. Enables TLS towards the core.",
  ),
  'app.gateway.tls.cert': gateway(optional(path), 'none', "PEM file with the gateway's client certificate (mTLS)."),
  'app.gateway.tls.key': gateway(optional(path), 'none', 'PEM file with the private key of `app.gateway.tls.cert`.'),
  'app.rpc.enabled': core(flag, 'true', 'Whether the core serves gRPC.'),
  'app.rpc.host': core(hostOrSocket, '127.0.0.1', 'Address of the gRPC interface, or the path of a Unix socket.'),
  'app.rpc.port': core(port, '50051', 'Port of the gRPC interface. 0 selects a free port.'),
  'app.rpc.max-connections': core(
    integer(16, 100_000),
    '1000',
    'Maximum number of open connections of the gRPC interface, per process. The start lowers it if the limit of' +
      ' file descriptors is too low.',
  ),
  'app.rpc.max-connections-per-address': core(
    integer(1, 100_000),
    '256',
    'Maximum number of open connections of the gRPC interface from one IPv4 address or IPv6 /64. It is at most ' +
      'half of `app.rpc.max-connections`. It does not apply to Unix sockets and loopback.',
  ),
  'app.webhooks.allowed-networks': core(
    networks,
    'none',
    'Addresses that webhooks can reach although they are not global: those of receivers in the network of the service, also if the ' +
      'URL has their name. Without it, a URL of a tenant cannot reach this network.',
  ),
  'app.rpc.tls.cert': core(optional(path), 'none', 'PEM file with the certificate of the gRPC interface. Enables TLS.'),
  'app.rpc.tls.key': core(optional(path), 'none', 'PEM file with the private key of `app.rpc.tls.cert`.'),
  'app.rpc.tls.client-ca': core(
    optional(path),
    'none',
    'PEM file with the authorities of client certificates. Clients then need a certificate (mTLS).',
  ),
  'app.rpc.plaintext': core(
    flag,
    'false',
    'Whether the gRPC interface can listen beyond loopback without TLS in PROD. Set it if something else ' +
      'encrypts, such as a service mesh. Loopback and Unix sockets do not need it.',
  ),
  'app.rpc.reflection': core(
    flag,
    'true',
    'Whether the gRPC interface serves reflection (grpc.reflection v1 and v1alpha). `buf curl` and grpcurl then' +
      ' need no proto files. Reflection shows the public protos only.',
  ),
  'app.rpc.stream-reset-burst': core(
    optional(integer(1, 1_000_000)),
    'none',
    'Maximum number of calls that one gRPC connection can cancel at once (HTTP/2 rapid reset, CVE-2023-44487). ' +
      'Above it, the core ends the connection. `none`: 100000 if only known callers connect (loopback, a Unix ' +
      'socket, client certificates), otherwise 2000.',
  ),
  'app.rpc.stream-reset-rate': core(
    optional(integer(1, 1_000_000)),
    'none',
    'Maximum number of cancelled calls per second over time, after the burst. `none`: 10000 if only known ' +
      'callers connect, otherwise 200.',
  ),
  'app.rpc.trusted-gateways': core(
    list('certificate names (common name, DNS or URI)', pattern('', /^[^\s,\p{Cc}]{1,255}$/u)),
    'none',
    "mTLS identities whose information about the client's address the core accepts. They can also call the " +
      'Envoy service (docs/forward-authentication.md). All peers on a Unix socket are trusted.',
  ),
};

/** The port of a start with port 0 is unknown before it listens. */
function localUrl({ 'app.http.port': port, 'app.http.context-path': path }: Basis): string | undefined {
  return port === 0 ? undefined : new URL(`http://localhost:${port}`).origin + (path === 'any' ? '' : path);
}
