// A core that responds as a test says, by the real protos.
import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { ClientCredentialsServiceService } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { toGrpcStatus } from '../../src/platform/rpc/errors/grpc-status.ts';
import { streamOf } from '../../src/platform/rpc/grpc/server-call.ts';
import type { handleUnaryCall } from '@grpc/grpc-js';

export interface BusyCore {
  readonly address: string;
  /** When each GetMe arrived, in milliseconds. */
  readonly arrivals: readonly number[];
  close(): void;
}

const issueAnyToken: handleUnaryCall<unknown, unknown> = (_, respond) =>
  respond(null, { accessToken: 'token', expiresIn: 300 });

/** Answers GetMe by UNAVAILABLE with each of these as `grpc-retry-pushback-ms`, then by success. */
export async function startBusyCore(pushbacks: readonly string[]): Promise<BusyCore> {
  const arrivals: number[] = [];
  const getMe: handleUnaryCall<unknown, unknown> = (_, respond) => {
    const pushback = pushbacks[arrivals.length];
    arrivals.push(performance.now());
    if (pushback === undefined) return respond(null, {});
    const refusal = toGrpcStatus({
      reason: 'SERVICE_UNAVAILABLE',
      message: 'busy',
      violations: [],
      retryAfterMs: undefined,
      diagnostics: undefined,
      requestId: 'any',
    });
    refusal.metadata.set('grpc-retry-pushback-ms', pushback);
    respond(refusal);
  };
  return { ...(await serve(issueAnyToken, getMe)), arrivals };
}

/** Ends the connection of the first calls of GetMe when the headers of their response have been sent, and answers the others. */
export async function startBreakingCore(broken: number): Promise<BusyCore> {
  const arrivals: number[] = [];
  const getMe: handleUnaryCall<unknown, unknown> = (call, respond) => {
    arrivals.push(performance.now());
    if (arrivals.length > broken) return respond(null, {});
    call.sendMetadata(new Metadata());
    const session = streamOf(call)!.session!;
    // After the headers, which are written in the next turn.
    setTimeout(() => session.destroy(), 50);
  };
  return { ...(await serve(issueAnyToken, getMe)), arrivals };
}

export interface IssuingCore extends Pick<BusyCore, 'address' | 'close'> {
  /** The number of tokens that were asked for. */
  readonly requests: () => number;
  /** The largest number of requests at the same time. */
  readonly parallel: () => number;
  /** The calls with an expired token. */
  readonly late: () => number;
  /** The number of the newest token that a call had. */
  readonly newest: () => number;
}

/** Issues tokens with this lifetime, slowly. Refuses the requests of these numbers, from 1, without a wait for the next attempt. */
export async function startIssuingCore(lifetimeSeconds: number, refused: readonly number[]): Promise<IssuingCore> {
  const expiries: number[] = [];
  let [requests, running, parallel, late, newest] = [0, 0, 0, 0, 0];
  const issueToken: handleUnaryCall<unknown, unknown> = (_, respond) => {
    requests += 1;
    running += 1;
    parallel = Math.max(parallel, running);
    const number = requests;
    setTimeout(() => {
      running -= 1;
      if (refused.includes(number)) return respond({ code: status.INTERNAL, details: 'refused' });
      expiries[number] = performance.now() + lifetimeSeconds * 1_000;
      respond(null, { accessToken: String(number), expiresIn: lifetimeSeconds });
    }, 100);
  };
  const getMe: handleUnaryCall<unknown, unknown> = ({ metadata }, respond) => {
    const number = Number(String(metadata.get('authorization')[0]).replace('Bearer ', ''));
    newest = Math.max(newest, number);
    if (performance.now() < expiries[number]!) return respond(null, {});
    late += 1;
    respond({ code: status.UNAUTHENTICATED, details: 'expired' });
  };
  const server = await serve(issueToken, getMe);
  return {
    ...server,
    requests: () => requests,
    parallel: () => parallel,
    late: () => late,
    newest: () => newest,
  };
}

async function serve(issueToken: handleUnaryCall<unknown, unknown>, getMe: handleUnaryCall<unknown, unknown>) {
  const server = new Server();
  server.addService(ClientCredentialsServiceService, { issueToken });
  server.addService(IdentityServiceService, { getMe });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
  return { address: `dns:///127.0.0.1:${port}`, close: () => server.forceShutdown() };
}
