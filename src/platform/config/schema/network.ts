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
} from '../network-kinds.ts';
import { setting } from '../setting.ts';

/** The addresses that the processes listen on and connect to. */
export const NETWORK_SETTINGS = {
  'app.http.host': setting({
    owner: 'gateway',
    kind: host,
    default: '127.0.0.1',
    doc: 'Address of the public REST interface.',
  }),
  'app.http.port': setting({
    owner: 'gateway',
    kind: port,
    default: '8080',
    doc: 'Port of the public REST interface. 0 selects a free port and prints it.',
  }),
  'app.http.context-path': setting({
    owner: 'gateway',
    kind: contextPath,
    default: 'any',
    doc:
      '`any`: business endpoints match behind any leading path, authentication endpoints at the root. `/shop`: ' +
      'all endpoints of `/api/v1` are below that prefix only. The Path of the cookie contains it.',
  }),
  'app.http.trusted-proxies': setting({
    owner: 'gateway',
    kind: networks,
    default: 'none',
    doc: 'Reverse proxies whose X-Forwarded-For and traceparent are accepted. All other peers cannot set the address or the trace.',
  }),
  'app.http.cors.allowed-origins': setting({
    owner: 'gateway',
    kind: allowedOrigins,
    default: {
      rule: 'none; in DEV any port of http://localhost and http://127.0.0.1',
      of: (basis) => ({ origins: [], anyLoopbackPort: basis['app.env'] === 'DEV' }),
    },
    doc: 'Web origins that can send requests with credentials.',
  }),
  'app.http.docs': setting({
    owner: 'gateway',
    kind: flag,
    default: { rule: '`false` in PROD, else `true`', of: (basis) => basis['app.env'] !== 'PROD' },
    doc: 'Whether `/docs` and `/openapi.json` are served. The isolation check needs them.',
  }),
  'app.http.hsts': setting({
    owner: 'gateway',
    kind: optional(duration('1s', '3650d')),
    default: 'none',
    doc:
      '`max-age` of the header Strict-Transport-Security, such as `365d`. Browsers then use HTTPS only. The ' +
      'header is sent if a trusted proxy reports HTTPS.',
  }),
  'app.http.max-connections': setting({
    owner: 'gateway',
    kind: integer(16, 100_000),
    default: '4000',
    doc:
      'Maximum number of open connections of the public REST interface, per process. The start lowers it if the ' +
      'limit of file descriptors is too low.',
  }),
  'app.http.max-connections-per-address': setting({
    owner: 'gateway',
    kind: integer(1, 100_000),
    default: '256',
    doc:
      'Maximum number of open connections of the public REST interface from one IPv4 address or IPv6 /64. It is ' +
      'at most half of `app.http.max-connections`. It does not apply to `app.http.trusted-proxies` and loopback.',
  }),
  'app.management.host': setting({
    owner: 'both',
    kind: host,
    default: '127.0.0.1',
    doc: 'Address of metrics and health.',
  }),
  'app.management.port': setting({
    owner: 'both',
    kind: port,
    default: '9090',
    doc: 'Port of metrics and health. 0 selects a free port.',
  }),
  'app.management.max-connections': setting({
    owner: 'both',
    kind: integer(2, 10_000),
    default: '50',
    doc: 'Maximum number of open connections of the management port. One remote address can have half of them.',
  }),
  'app.management.allowed-hosts': setting({
    owner: 'both',
    kind: list('host names', hostName),
    default: 'none',
    doc:
      'Names in the Host header that the management port accepts. It always accepts IP addresses, `localhost`, ' +
      "`app.management.host` and the machine's name. Other names are refused, which prevents DNS rebinding.",
  }),
  'app.gateway.core': setting({
    owner: 'gateway',
    kind: coreTarget,
    default: 'local',
    doc: "`local`: the core runs in the gateway's process. Otherwise the gRPC target of the core.",
  }),
  'app.gateway.tls.ca': setting({
    owner: 'gateway',
    kind: optional(path),
    default: 'none',
    doc: "PEM file with the authorities of the core's certificate. Enables TLS towards the core.",
  }),
  'app.gateway.tls.cert': setting({
    owner: 'gateway',
    kind: optional(path),
    default: 'none',
    doc: "PEM file with the gateway's client certificate (mTLS).",
  }),
  'app.gateway.tls.key': setting({
    owner: 'gateway',
    kind: optional(path),
    default: 'none',
    doc: 'PEM file with the private key of `app.gateway.tls.cert`.',
  }),
  'app.rpc.enabled': setting({
    owner: 'core',
    kind: flag,
    default: 'true',
    doc: 'Whether the core serves gRPC.',
  }),
  'app.rpc.host': setting({
    owner: 'core',
    kind: hostOrSocket,
    default: '127.0.0.1',
    doc: 'Address of the gRPC interface, or the path of a Unix socket.',
  }),
  'app.rpc.port': setting({
    owner: 'core',
    kind: port,
    default: '50051',
    doc: 'Port of the gRPC interface. 0 selects a free port.',
  }),
  'app.rpc.max-connections': setting({
    owner: 'core',
    kind: integer(16, 100_000),
    default: '1000',
    doc:
      'Maximum number of open connections of the gRPC interface, per process. The start lowers it if the limit of' +
      ' file descriptors is too low.',
  }),
  'app.rpc.max-connections-per-address': setting({
    owner: 'core',
    kind: integer(1, 100_000),
    default: '256',
    doc:
      'Maximum number of open connections of the gRPC interface from one IPv4 address or IPv6 /64. It is at most ' +
      'half of `app.rpc.max-connections`. It does not apply to Unix sockets and loopback.',
  }),
  'app.rpc.tls.cert': setting({
    owner: 'core',
    kind: optional(path),
    default: 'none',
    doc: 'PEM file with the certificate of the gRPC interface. Enables TLS.',
  }),
  'app.rpc.tls.key': setting({
    owner: 'core',
    kind: optional(path),
    default: 'none',
    doc: 'PEM file with the private key of `app.rpc.tls.cert`.',
  }),
  'app.rpc.tls.client-ca': setting({
    owner: 'core',
    kind: optional(path),
    default: 'none',
    doc: 'PEM file with the authorities of client certificates. Clients then need a certificate (mTLS).',
  }),
  'app.rpc.plaintext': setting({
    owner: 'core',
    kind: flag,
    default: 'false',
    doc:
      'Whether the gRPC interface can listen beyond loopback without TLS in PROD. Set it if something else ' +
      'encrypts, such as a service mesh. Loopback and Unix sockets do not need it.',
  }),
  'app.rpc.reflection': setting({
    owner: 'core',
    kind: flag,
    default: 'true',
    doc:
      'Whether the gRPC interface serves reflection (grpc.reflection v1 and v1alpha). `buf curl` and grpcurl then' +
      ' need no proto files. Reflection shows the public protos only.',
  }),
  'app.rpc.stream-reset-burst': setting({
    owner: 'core',
    kind: optional(integer(1, 1_000_000)),
    default: 'none',
    doc:
      'Maximum number of calls that one gRPC connection can cancel at once (HTTP/2 rapid reset, CVE-2023-44487). ' +
      'Above it, the core ends the connection. `none`: 100000 if only known callers connect (loopback, a Unix ' +
      'socket, client certificates), otherwise 2000.',
  }),
  'app.rpc.stream-reset-rate': setting({
    owner: 'core',
    kind: optional(integer(1, 1_000_000)),
    default: 'none',
    doc:
      'Maximum number of cancelled calls per second over time, after the burst. `none`: 10000 if only known ' +
      'callers connect, otherwise 200.',
  }),
  'app.rpc.trusted-gateways': setting({
    owner: 'core',
    kind: list('certificate names (common name, DNS or URI)', pattern('', /^[^\s,\p{Cc}]{1,255}$/u)),
    default: 'none',
    doc:
      "mTLS identities whose information about the client's address the core accepts. They can also call the " +
      'Envoy service (docs/forward-authentication.md). All peers on a Unix socket are trusted.',
  }),
};
