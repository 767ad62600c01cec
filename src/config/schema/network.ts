import { flag, list, optional, path, pattern } from '../kinds.ts';
import { allowedOrigins, contextPath, coreTarget, host, hostOrSocket, networks, port } from '../network-kinds.ts';
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
  'app.rpc.trusted-gateways': setting({
    owner: 'core',
    kind: list('certificate identities (subject alternative names)', pattern('', /^[^\s,\p{Cc}]{1,255}$/u)),
    default: 'none',
    doc: "mTLS identities whose word on the client's address is believed. A Unix socket is believed anyway.",
  }),
};
