// Why a gateway cannot reach its core. The texts are those of grpc-js and OpenSSL; test/rpc/unreachable-core.test.ts has real ones.
import { describe, expect, it } from 'vitest';
import { describeCoreError } from '../../gateway/root/core-problem.ts';

const failed = (text: string) => new Error('The service is temporarily unavailable', { cause: new Error(text) });
const notConnected = (text: string) =>
  failed(
    `UNAVAILABLE: round_robin: No connection established. Last error: No connection established. Last error: ${text}. Resolution note: `,
  );

describe('an unreachable core is described', () => {
  it.each([
    [
      'without its address',
      failed('UNAVAILABLE: Name resolution failed for target dns:///core.invalid:50051'),
      'its name is not found; check app.gateway.core (UNAVAILABLE: Name resolution failed for target dns:///core.invalid:50051)',
    ],
    [
      'that does not listen',
      notConnected('Error: connect ECONNREFUSED 127.0.0.1:1'),
      'nothing listens there; start the core, or check app.gateway.core (connect ECONNREFUSED 127.0.0.1:1)',
    ],
    [
      'without TLS',
      notConnected(
        'Error: 4093862EB57F0000:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl/a.c:78:\n',
      ),
      'it does not use TLS; set its app.rpc.tls.cert, or remove app.gateway.tls.* (wrong version number)',
    ],
    [
      'that requires a certificate',
      notConnected(
        '4093862EB57F0000:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:../a.c:918:SSL alert number 116\n (2026-11-29T15:37:13.811Z)',
      ),
      'TLS failed: it refuses the certificate of the gateway; check app.gateway.tls.cert and its app.rpc.tls.client-ca ' +
        '(tlsv13 alert certificate required)',
    ],
    [
      'with a certificate of another authority',
      notConnected('Error: unable to verify the first certificate'),
      'TLS failed: its certificate is not accepted; check app.gateway.tls.ca, and the name in app.gateway.core ' +
        '(unable to verify the first certificate)',
    ],
    [
      'that closes the connection',
      notConnected('Failed to connect (2026-11-29T15:37:12.842Z)'),
      expect.stringMatching(/^it closes the connection: .* \(Failed to connect\)$/),
    ],
    [
      'that is another program',
      notConnected('Error: Protocol error'),
      'another program answers there; check app.gateway.core (Protocol error)',
    ],
    [
      'behind a proxy that does not know it',
      failed('UNIMPLEMENTED: Received HTTP status code 404'),
      'another program answers there; check app.gateway.core (UNIMPLEMENTED: Received HTTP status code 404)',
    ],
    [
      'without a route to it',
      notConnected('Error: connect EHOSTUNREACH 10.0.0.7:50051 - Local (10.0.0.9:40100)'),
      'the network has no way to it; check app.gateway.core and the network (connect EHOSTUNREACH 10.0.0.7:50051)',
    ],
    [
      'whose socket may not be opened',
      notConnected('Error: connect EACCES /run/core.sock'),
      'the gateway may not open its socket; let its user write to it (connect EACCES /run/core.sock)',
    ],
    [
      'that is silent',
      failed('DEADLINE_EXCEEDED: Deadline exceeded after 2.018s,name resolution: 0.051s,Waiting for LB pick'),
      'it does not respond in time; check app.gateway.core and the network (DEADLINE_EXCEEDED)',
    ],
  ])('%s', (_which, error, expected) => {
    expect(describeCoreError(error)).toEqual(expected);
  });
});
