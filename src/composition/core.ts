// Creates the host of the core's services: their access rules, field rules and limits.
import type { Logger } from 'pino';
import type { Settings } from '../platform/config/settings.ts';
import { readContracts, type RequestContracts } from '../platform/rpc/contract/contracts.ts';
import { readAccessRules, type AccessRules } from '../platform/rpc/pipeline/access-rules.ts';
import { createHost, type Host, type HostOptions } from '../platform/rpc/pipeline/host.ts';

// Maximum duration of calls, for direct callers that set no deadline or a later one. The gateway waits 4 s.
const MAX_CALL_MS = 10_000;
// Maximum duration of calls with a stream, which run at the pace of the slower end.
const STREAMS = { maxTimeoutMs: 600_000, idleMs: 30_000, recheckMs: 1_000 };

/** Read once per process, because they are the same for every core. */
let declaredRules: AccessRules | undefined;
let declaredContracts: RequestContracts | undefined;

export function createCoreHost(
  options: Pick<HostOptions, 'services' | 'authenticate' | 'reauthenticate' | 'observe' | 'tracer' | 'fairCalls'> & {
    readonly settings: Settings;
    readonly log: Logger;
  },
): Host {
  const { settings, ...host } = options;
  return createHost({
    ...host,
    rules: (declaredRules ??= readAccessRules()),
    contracts: (declaredContracts ??= readContracts()),
    disclosure: settings['app.api.error-disclosure.mode'],
    maxStackTraceChars: settings['app.api.error-disclosure.max-stack-trace-chars'],
    maxTimeoutMs: MAX_CALL_MS,
    streams: STREAMS,
  });
}
