// The pipeline of every call: request id, access rule, field rules, deadline, handler, error, log line.
import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { Credential } from '../../../../proto/gen/authservice/access/v1/access.ts';
import type { Deadline } from '../../clock.ts';
import { DependencyUnavailableError, ServiceError, type Dependency, type ReasonName } from '../../errors.ts';
import type { Span, TraceHeaders, Tracer } from '../../tracing/tracer.ts';
import { assertContracts, type RequestContracts } from '../contract/contracts.ts';
import { hideRefusal, toErrorStatus, toServiceError, type DisclosureOptions } from '../errors/error-status.ts';
import { RpcError } from '../errors/rpc-error.ts';
import type { Method, Service } from '../service.ts';
import type { Call, Caller } from '../types.ts';
import { assertRules, type AccessRules } from './access-rules.ts';
import {
  admit,
  assertTrustedGateway,
  readmit,
  type Authenticate,
  type Credentials,
  type Reauthenticate,
  type RequireFresh,
} from './admission.ts';
import { endCallSpan, logOutcome, startCallSpan } from './call-log.ts';
import { clientAddress, type ClaimedAddress, type Peer } from './client-address.ts';
import type { FairCalls } from './fair-calls.ts';
import { createOpenCalls, withLifetime, type LifetimeOptions } from './lifetime.ts';
import { requestIdFrom } from './request-id.ts';
import { createStreamWatch } from './stream-watch.ts';

export interface HostOptions<C extends Caller = Caller> extends DisclosureOptions {
  readonly services: readonly Service<C>[];
  readonly rules: AccessRules;
  readonly contracts: RequestContracts;
  readonly authenticate: Authenticate<C>;
  readonly reauthenticate: Reauthenticate<C>;
  readonly requireFresh: RequireFresh<C>;
  readonly log: Logger;
  /** Lets callers take turns. Default: no limit of running calls. */
  readonly fairCalls?: FairCalls | undefined;
  /** Receives the outcome of every call. */
  observe?(path: string, reason: ReasonName | 'OK', milliseconds: number): void;
  /** Records a span for each call. Default: no spans. */
  readonly tracer?: Tracer | undefined;
  /** Maximum duration of a call, and the default if the caller sets no deadline, in milliseconds. */
  readonly maxTimeoutMs: number;
  /** Limits for calls that carry a stream. */
  readonly streams: {
    readonly maxTimeoutMs: number;
    /** How long the caller may neither send nor take a message, in milliseconds. */
    readonly idleMs: number;
    /** How often the credential of the call is checked again, in milliseconds. */
    readonly recheckMs: number;
  };
}

/** A call as a transport received it. */
export interface Incoming extends Credentials, ClaimedAddress {
  /** Unix milliseconds; undefined if the caller set no deadline. */
  readonly deadlineAt: number | undefined;
  readonly onCancel: LifetimeOptions['onCancel'];
  /** Waits until the transport lets the call start. Returns undefined if it starts at once. Default: it does. */
  readonly waitForTurn?: ((deadline: Deadline) => Promise<void> | undefined) | undefined;
  readonly requestId: string | undefined;
  /** The caller's span. Read only if `Host.isTraced`. */
  readonly trace?: TraceHeaders | undefined;
  readonly peer: Peer;
  /** See Call. */
  readonly accessCheckOnly: boolean;
}

/** Serves the calls of all transports. */
export interface Host {
  readonly methods: readonly Method[];
  readonly contracts: RequestContracts;
  /** See HostOptions. */
  readonly maxTimeoutMs: number;
  /** See HostOptions.streams. */
  readonly idleMs: number;
  /** Whether calls are recorded as spans. */
  readonly isTraced: boolean;
  /** Runs one call of any kind: every check, then `next`. Rejects with RpcError only. */
  serve<T>(method: Method, incoming: Incoming, next: (call: Call<never>) => Promise<T>): Promise<T>;
  /** Resolves when the work of all calls has ended, also of those whose callers are gone. */
  ended(): Promise<void>;
}

const HEALTH = '/grpc.health.v1.Health/';

/** Whether a method is one of the health service. */
export const isProbe = (path: string): boolean => path.startsWith(HEALTH);

const runNow: FairCalls['run'] = (_call, work) => work();

/** Creates the pipeline for services. Throws if a method has no access rule or no contract for its requests. */
export function createHost<C extends Caller>(options: HostOptions<C>): Host {
  const {
    rules,
    contracts,
    log,
    maxTimeoutMs,
    streams,
    authenticate,
    reauthenticate,
    requireFresh,
    tracer,
    fairCalls,
  } = options;
  const watch = createStreamWatch(streams.recheckMs);
  const openCalls = createOpenCalls();
  assertRules(options.services, rules);
  assertContracts(options.services, contracts);

  function serve<T>(
    method: Method,
    incoming: Incoming,
    next: (call: Call<never>) => Promise<T>,
    span?: Span,
  ): Promise<T> {
    const started = performance.now();
    const { path, requestStream, responseStream } = method.definition;
    const rule = rules.get(path)!;
    const requestId = requestIdFrom(incoming.requestId);
    const asked = rule.credential !== Credential.CREDENTIAL_IGNORED;
    const streaming = requestStream || responseStream;
    // Probes must not wait. Streams run at the pace of their callers, and have limits of their own.
    const run = fairCalls === undefined || streaming || isProbe(path) ? runNow : fairCalls.run;
    let over = false;
    let unwatch = () => {};
    let unavailable: ReasonName = asked ? 'AUTHENTICATION_SERVICE_UNAVAILABLE' : method.unavailable;

    const work = async (deadline: Deadline, end: (error: Error) => void) => {
      const turn = incoming.waitForTurn?.(deadline);
      if (turn !== undefined) await turn;
      assertTrustedGateway(rule, incoming.peer);
      const { address, shared } = clientAddress(incoming.peer, incoming);
      const { accessCheckOnly } = incoming;
      const call = new ServedCall<C>(
        { path, requestId, clientAddress: address, sharedAddress: shared, deadline, accessCheckOnly },
        log,
      );
      if (asked) call.principal = await admit(rule, incoming, call, authenticate);
      if (rule.fresh) await requireFresh(call.principal!);
      unavailable = method.unavailable;
      const { principal } = call;
      // The method belongs to a service of this host, so its callers have the type that `authenticate` returns.
      const handle = () => next(call as Call as Call<never>);
      if (principal === undefined) return run(call, handle);
      call.recheck = async (tx) => {
        // From here on, the transaction decides the result of the call.
        unwatch();
        return readmit(rule, principal, reauthenticate, tx);
      };
      if (streaming && !over) unwatch = watch({ check: () => readmit(rule, principal, reauthenticate), end });
      return run(call, handle);
    };
    const lifetime: LifetimeOptions = {
      at: Math.min(incoming.deadlineAt ?? Infinity, Date.now() + (streaming ? streams.maxTimeoutMs : maxTimeoutMs)),
      onCancel: incoming.onCancel,
      openCalls,
      error: (ending) =>
        ending === 'cancelled'
          ? new ServiceError('CANCELLED')
          : new ServiceError('DEADLINE_EXCEEDED', {
              detail: 'The deadline passed',
              dependency: dependencyOf(unavailable),
            }),
    };
    // Not an async function: each one costs a promise and a context more, and every call of the service passes here.
    return withLifetime(lifetime, work).then(
      (result) => {
        close();
        report('OK');
        return result;
      },
      (thrown: unknown) => {
        close();
        // A dependency that stopped because the deadline passed is not unavailable.
        const late = thrown instanceof DependencyUnavailableError && Date.now() >= lifetime.at;
        const actual = late ? (lifetime.error('deadline') as ServiceError) : toServiceError(thrown, unavailable);
        const error = hideRefusal(actual, options);
        report(error.reason, error);
        throw new RpcError(toErrorStatus(error, requestId, options));
      },
    );

    function close(): void {
      over = true;
      unwatch();
    }

    function report(reason: ReasonName | 'OK', error?: ServiceError): void {
      const milliseconds = performance.now() - started;
      logOutcome(log, { path, requestId, milliseconds }, error);
      options.observe?.(path, reason, milliseconds);
      if (span) endCallSpan(span, requestId, reason);
    }
  }
  return {
    ended: openCalls.ended,
    methods: options.services.flatMap((service) => service.methods),
    contracts,
    maxTimeoutMs,
    idleMs: streams.idleMs,
    isTraced: tracer !== undefined,
    serve(method, incoming, next) {
      // Traces of probes would fill a collector and have no reader.
      if (tracer === undefined || isProbe(method.definition.path)) return serve(method, incoming, next);
      const span = startCallSpan(tracer, method.definition.path, incoming.trace);
      return tracer.run(span, () => serve(method, incoming, next, span));
    },
  };
}

function dependencyOf(unavailable: ReasonName): Dependency | undefined {
  return unavailable === 'AUTHENTICATION_SERVICE_UNAVAILABLE' ? 'authentication' : undefined;
}

/** The call as its handler sees it. A class, because V8 needs 0.7 us for an object literal with a getter. */
class ServedCall<C extends Caller> implements Call<C> {
  readonly path: string;
  readonly requestId: string;
  readonly clientAddress: string;
  readonly sharedAddress: boolean;
  readonly deadline: Deadline;
  readonly accessCheckOnly: boolean;
  principal: C | undefined;
  reason: string | undefined;
  recheck: Call<C>['recheck'] = nothingToRecheck;
  readonly #parent: Logger;
  #log: Logger | undefined;

  constructor(facts: Omit<Call, 'principal' | 'recheck' | 'reason' | 'log'>, log: Logger) {
    this.path = facts.path;
    this.requestId = facts.requestId;
    this.clientAddress = facts.clientAddress;
    this.sharedAddress = facts.sharedAddress;
    this.deadline = facts.deadline;
    this.accessCheckOnly = facts.accessCheckOnly;
    this.#parent = log;
  }

  /** Created on demand: most calls log nothing, and a child logger costs more than the other fields together. */
  get log(): Logger {
    return (this.#log ??= this.#parent.child({ requestId: this.requestId, rpc: this.path }));
  }
}

/** For calls without a principal. */
async function nothingToRecheck(): Promise<undefined> {}
