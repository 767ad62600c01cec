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

/** What the processes listen on and connect to. */
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
    doc: 'Port of the public REST interface; 0 picks a free one and prints it.',
  }),
  'app.http.context-path': setting({
    owner: 'gateway',
    kind: contextPath,
    default: 'any',
    doc:
      '`any`: business endpoints match behind any leading path, the authentication endpoints at the root. `/shop`: ' +
      '`/api/v1` lives under that prefix only, and the cookie Path carries it.',
  }),
  'app.http.trusted-proxies': setting({
    owner: 'gateway',
    kind: networks,
    default: 'none',
    doc: 'Proxies whose X-Forwarded-For is believed; it is ignored from anyone else.',
  }),
  'app.http.cors.allowed-origins': setting({
    owner: 'gateway',
    kind: allowedOrigins,
    default: {
      rule: 'none; in DEV any port of http://localhost and http://127.0.0.1',
      of: (basis) => ({ origins: [], anyLoopbackPort: basis['app.env'] === 'DEV' }),
    },
    doc: 'Web origins that may call with credentials.',
  }),
  'app.http.docs': setting({
    owner: 'gateway',
    kind: flag,
    default: 'true',
    doc: 'Whether `/docs` and `/openapi.json` are served. `npm run cli -- isolation` needs them.',
  }),
  'app.http.hsts': setting({
    owner: 'gateway',
    kind: optional(duration('1s', '3650d')),
    default: 'none',
    doc:
      '`max-age` of the header Strict-Transport-Security, such as `365d`: for so long browsers use HTTPS only. It is sent if a ' +
      'trusted proxy says that the request came over HTTPS.',
  }),
  'app.http.max-connections': setting({
    owner: 'gateway',
    kind: integer(16, 100_000),
    default: '4000',
    doc: 'Most open connections of the public REST interface, per process. The start lowers it if the limit of file descriptors is too low.',
  }),
  'app.http.max-connections-per-address': setting({
    owner: 'gateway',
    kind: integer(1, 100_000),
    default: '256',
    doc:
      'Most open connections of the public REST interface from one IPv4 address or IPv6 /64, and never more than half of ' +
      '`app.http.max-connections`. It does not bind `app.http.trusted-proxies` and this machine.',
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
    doc: 'Port of metrics and health; 0 picks a free one.',
  }),
  'app.management.max-connections': setting({
    owner: 'both',
    kind: integer(2, 10_000),
    default: '50',
    doc: 'Most open connections of the management port; half of them from one other address.',
  }),
  'app.management.allowed-hosts': setting({
    owner: 'both',
    kind: list('host names', hostName),
    default: 'none',
    doc:
      'Names in the Host header that the management port accepts beside IP addresses, `localhost`, `app.management.host` and ' +
      "the machine's own name. Any other name is refused, so that a web page cannot read the port through a DNS name of its own.",
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
    doc: 'PEM file with the authorities that sign the certificate of the core; turns TLS towards the core on.',
  }),
  'app.gateway.tls.cert': setting({
    owner: 'gateway',
    kind: optional(path),
    default: 'none',
    doc: 'PEM file with the certificate that the gateway shows to the core (mTLS).',
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
    doc: 'Port of the gRPC interface; 0 picks a free one.',
  }),
  'app.rpc.max-connections': setting({
    owner: 'core',
    kind: integer(16, 100_000),
    default: '1000',
    doc: 'Most open connections of the gRPC interface, per process. The start lowers it if the limit of file descriptors is too low.',
  }),
  'app.rpc.max-connections-per-address': setting({
    owner: 'core',
    kind: integer(1, 100_000),
    default: '256',
    doc:
      'Most open connections of the gRPC interface from one IPv4 address or IPv6 /64, and never more than half of ' +
      '`app.rpc.max-connections`. It does not bind Unix sockets and this machine.',
  }),
  'app.rpc.tls.cert': setting({
    owner: 'core',
    kind: optional(path),
    default: 'none',
    doc: 'PEM file with the certificate of the gRPC interface; turns TLS on.',
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
    doc: 'PEM file with the authorities that sign client certificates; clients must then show one (mTLS).',
  }),
  'app.rpc.plaintext': setting({
    owner: 'core',
    kind: flag,
    default: 'false',
    doc:
      'Whether the gRPC interface may leave the machine without TLS in PROD, where something else encrypts, such as a ' +
      'service mesh. Loopback and Unix sockets need no word.',
  }),
  'app.rpc.reflection': setting({
    owner: 'core',
    kind: flag,
    default: 'true',
    doc:
      'Whether the gRPC interface describes itself (grpc.reflection v1 and v1alpha), so that `buf curl` and grpcurl work ' +
      'without files. It tells what the protos tell, which are public; the access rules protect the calls.',
  }),
  'app.rpc.stream-reset-burst': setting({
    owner: 'core',
    kind: optional(integer(1, 1_000_000)),
    default: 'none',
    doc:
      'How many calls of one gRPC connection may be cancelled at once before the core ends the connection (HTTP/2 rapid ' +
      'reset, CVE-2023-44487). `none`: 100000 where only known callers connect (loopback, a Unix socket, client ' +
      'certificates), else 2000.',
  }),
  'app.rpc.stream-reset-rate': setting({
    owner: 'core',
    kind: optional(integer(1, 1_000_000)),
    default: 'none',
    doc:
      'How many cancelled calls per second are allowed over time, beyond the burst. `none`: 10000 where only known ' +
      'callers connect, else 200.',
  }),
  'app.rpc.trusted-gateways': setting({
    owner: 'core',
    kind: list('certificate identities (subject alternative names)', pattern('', /^[^\s,\p{Cc}]{1,255}$/u)),
    default: 'none',
    doc: "mTLS identities whose word on the client's address is believed, and which may ask as Envoy does (docs/forward-authentication.md). A Unix socket is believed anyway.",
  }),
};
