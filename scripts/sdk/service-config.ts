// The gRPC service config of the SDKs, from the protos: round_robin, deadlines, and retries of calls that change nothing.
import { ownDescriptors, readOnlyMethods } from '../../src/platform/rpc/contract/descriptors.ts';

/** The deadline of a call that is not a stream. The SDKs replace it if their caller sets another one. */
const CALL_TIMEOUT = '5s';
/** The core ends streams after ten minutes. */
const STREAM_TIMEOUT = '600s';

const RETRY_POLICY = {
  maxAttempts: 3,
  initialBackoff: '0.1s',
  maxBackoff: '1s',
  backoffMultiplier: 2,
  retryableStatusCodes: ['UNAVAILABLE'],
};

export function serviceConfig(): string {
  const { methods } = ownDescriptors();
  const readOnly = readOnlyMethods(ownDescriptors());
  const named = methods
    .map((method) => ({
      service: method.parent.typeName,
      method: method.name,
      isStream: method.methodKind !== 'unary',
      isReadOnly: readOnly.has(`/${method.parent.typeName}/${method.name}`),
    }))
    .toSorted((a, b) => `${a.service}/${a.method}`.localeCompare(`${b.service}/${b.method}`));
  const select = (isStream: boolean, isReadOnly: boolean) =>
    named
      .filter((method) => method.isStream === isStream && method.isReadOnly === isReadOnly)
      .map(({ service, method }) => ({ service, method }));
  const config = {
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: [
      { name: [{}], timeout: CALL_TIMEOUT },
      { name: select(false, true), timeout: CALL_TIMEOUT, retryPolicy: RETRY_POLICY },
      { name: select(true, true), timeout: STREAM_TIMEOUT, retryPolicy: RETRY_POLICY },
      { name: select(true, false), timeout: STREAM_TIMEOUT },
    ],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
