import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { Credential, Permission, permissionToJSON } from '../../proto/gen/access/v1/access.ts';
import type { Rule } from '../../proto/gen/access/v1/access.ts';
import type { Deadline } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { ReasonName } from '../errors.ts';
import type { Principal } from '../principal.ts';
import { demandRules } from './access-rules.ts';
import type { AccessRules } from './access-rules.ts';
import { logOutcome } from './call-log.ts';
import { clientAddress } from './client-address.ts';
import type { Peer } from './client-address.ts';
import { toErrorStatus, toServiceError } from './error-status.ts';
import type { DisclosureOptions } from './error-status.ts';
import { withLifetime } from './lifetime.ts';
import type { LifetimeOptions } from './lifetime.ts';
import { DEFAULT_RETRY_AFTER_MS } from './reasons.ts';
import { requestIdFrom } from './request-id.ts';
import { RpcError } from './rpc-error.ts';
import type { Method, Service } from './service.ts';
import type { Call } from './types.ts';

/** Every credential header that came with a call, raw. */
export interface Credentials {
  readonly authorization: readonly string[];
  readonly apiKey: readonly string[];
}

export interface HostOptions extends DisclosureOptions {
  readonly services: readonly Service[];
  readonly rules: AccessRules;
  /**
   * Whose credentials these are; undefined where none came that it understands. Throws TOKEN_INVALID,
   * SUBJECT_UNKNOWN … where they are no good.
   */
  authenticate(
    credentials: Credentials,
    call: Pick<Call, 'clientAddress' | 'deadline' | 'log' | 'requestId'>,
  ): Promise<Principal | undefined>;
  readonly log: Logger;
  /** Told the outcome of every call. */
  observe?(path: string, reason: ReasonName | 'OK', milliseconds: number): void;
  /** Upper bound of a call's duration, and its duration where the caller gives none, in milliseconds. */
  readonly maxTimeoutMs: number;
  /** The same for calls that carry a stream. */
  readonly streams: {
    readonly maxTimeoutMs: number;
    /** How long the caller may keep such a call waiting for its next message, or for taking one, in milliseconds. */
    readonly idleMs: number;
  };
}

/** A call as a transport received it. */
export interface Incoming extends Credentials {
  /** Unix milliseconds; undefined where the caller set none. */
  readonly deadlineAt: number | undefined;
  readonly onCancel: LifetimeOptions['onCancel'];
  readonly requestId: string | undefined;
  readonly peer: Peer;
  /** Whom the peer says it calls for. */
  readonly clientAddress: string | undefined;
  /** See Call. */
  readonly invalid: boolean;
}

/** What serves calls, whichever transport they came by. */
export interface Host {
  readonly methods: readonly Method[];
  /** See HostOptions.streams. */
  readonly idleMs: number;
  /** Runs one call of any kind: every check, then `next`. Rejects with RpcError only. */
  serve<T>(method: Method, incoming: Incoming, next: (call: Call) => Promise<T>): Promise<T>;
}

/** Puts services behind the one pipeline. Throws where a method has no access rule. */
export function createHost(options: HostOptions): Host {
  const { rules, log, maxTimeoutMs, streams } = options;
  demandRules(options.services, rules);

  async function serve<T>(method: Method, incoming: Incoming, next: (call: Call) => Promise<T>): Promise<T> {
    const started = performance.now();
    const { path, requestStream, responseStream } = method.definition;
    const rule = rules.get(path)!;
    const requestId = requestIdFrom(incoming.requestId);
    const asked = rule.credential !== Credential.CREDENTIAL_IGNORED;
    let unavailable: ReasonName = asked ? 'AUTHENTICATION_SERVICE_UNAVAILABLE' : method.unavailable;

    const work = async (deadline: Deadline) => {
      const address = clientAddress(incoming.peer, incoming.clientAddress);
      const call = createCall(path, requestId, address, deadline, incoming.invalid, log);
      if (asked) call.principal = await admit(rule, incoming, call, options);
      unavailable = method.unavailable;
      return next(call);
    };
    const lifetime: LifetimeOptions = {
      at: Math.min(
        incoming.deadlineAt ?? Infinity,
        Date.now() + (requestStream || responseStream ? streams.maxTimeoutMs : maxTimeoutMs),
      ),
      onCancel: incoming.onCancel,
      error: (ending) =>
        ending === 'cancelled'
          ? new ServiceError('CANCELLED')
          : new ServiceError(unavailable, { detail: 'The deadline passed', retryAfterMs: DEFAULT_RETRY_AFTER_MS }),
    };
    try {
      const result = await withLifetime(lifetime, work);
      report('OK');
      return result;
    } catch (thrown) {
      const error = toServiceError(thrown, unavailable);
      report(error.reason, error);
      throw new RpcError(toErrorStatus(error, requestId, options));
    }

    function report(reason: ReasonName | 'OK', error?: ServiceError): void {
      const milliseconds = performance.now() - started;
      logOutcome(log, { path, requestId, milliseconds }, error);
      options.observe?.(path, reason, milliseconds);
    }
  }
  return { methods: options.services.flatMap((service) => service.methods), idleMs: streams.idleMs, serve };
}

type MutableCall = { -readonly [Key in keyof Call]: Call[Key] };

function createCall(
  path: string,
  requestId: string,
  address: string,
  deadline: Deadline,
  invalid: boolean,
  log: Logger,
): MutableCall {
  let own: Logger | undefined;
  return {
    path,
    requestId,
    clientAddress: address,
    deadline,
    principal: undefined,
    invalid,
    // Most calls log nothing, and a child logger costs more than the rest of this.
    get log() {
      return (own ??= log.child({ requestId, rpc: path }));
    },
  };
}

/** Enforces a rule that asks for a credential. */
async function admit(
  rule: Rule,
  incoming: Incoming,
  call: Call,
  { authenticate }: HostOptions,
): Promise<Principal | undefined> {
  const optional = rule.credential === Credential.CREDENTIAL_OPTIONAL;
  if (optional && incoming.authorization.length === 0 && incoming.apiKey.length === 0) return undefined;
  const principal = await authenticate(incoming, call);
  if (optional) return principal;
  if (principal === undefined) throw new ServiceError('TOKEN_MISSING');
  const needed = rule.permission;
  if (needed !== Permission.PERMISSION_UNSPECIFIED && !principal.permissions.has(needed)) {
    throw new ServiceError('PERMISSION_DENIED', { detail: `The account lacks ${permissionToJSON(needed)}` });
  }
  return principal;
}
