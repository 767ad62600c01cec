// The challenge of a login over gRPC: a typed detail of the error.
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FactorMethod, LoginChallenge } from '../../../proto/gen/authservice/session/v1/login_challenge.ts';
import {
  CompleteLoginRequest,
  RefreshTokenTransport,
  SessionServiceService,
} from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { Status } from '../../../proto/gen/google/rpc/status.ts';
import { fromGrpcStatus, toGrpcStatus } from '../../../src/platform/rpc/errors/grpc-status.ts';
import type { RpcError } from '../../../src/platform/rpc/errors/rpc-error.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { seedTotp, type TotpOwner } from '../../support/factors.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';

rememberPasswords();

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let owner: TotpOwner;
  beforeAll(async () => {
    deployment = await deploy(kind);
    owner = await seedTotp(deployment);
  });
  afterAll(() => deployment?.close());

  const session = () => deployment.client(SessionServiceService);
  const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY;
  const login = (): Promise<RpcError> =>
    session()
      .login({ username: owner.account.username, password: PASSWORD, rememberMe: false, refreshTokenTransport })
      .then(
        () => expect.unreachable(),
        (error: unknown) => error as RpcError,
      );

  it('carries the challenge, its methods and its lifetime', async () => {
    const error = await login();
    expect(error.status).toMatchObject({
      reason: 'SECOND_FACTOR_REQUIRED',
      challenge: { challenge: expect.any(String), methods: ['totp', 'recovery-code'], expiresIn: 300 },
    });
    const { code, metadata } = toGrpcStatus(error.status);
    expect(code).toBe(status.UNAUTHENTICATED);
    const { details } = Status.decode(metadata.get('grpc-status-details-bin')[0] as Buffer);
    const packed = details.find(
      ({ typeUrl }) => typeUrl === 'type.googleapis.com/authservice.session.v1.LoginChallenge',
    );
    expect(LoginChallenge.decode(packed!.value)).toEqual({
      challenge: error.status.challenge!.challenge,
      methods: [FactorMethod.FACTOR_METHOD_TOTP, FactorMethod.FACTOR_METHOD_RECOVERY_CODE],
      expiresIn: 300,
    });
    expect(fromGrpcStatus(toGrpcStatus(error.status), undefined).status.challenge).toEqual(error.status.challenge);
  });

  it('leaves out methods of a later release', async () => {
    const error = await login();
    const full = toGrpcStatus(error.status);
    const { details, ...rest } = Status.decode(full.metadata.get('grpc-status-details-bin')[0] as Buffer);
    const later = LoginChallenge.encode({ challenge: 'c', methods: [99 as FactorMethod, 1], expiresIn: 300 }).finish();
    const changed = details.map(({ typeUrl, value }) => ({
      typeUrl,
      value: typeUrl.endsWith('LoginChallenge') ? Buffer.from(later) : value,
    }));
    full.metadata.set('grpc-status-details-bin', Buffer.from(Status.encode({ ...rest, details: changed }).finish()));
    expect(fromGrpcStatus(full, undefined).status.challenge).toEqual({
      challenge: 'c',
      methods: ['totp'],
      expiresIn: 300,
    });
  });

  it('is answered by a direct caller', async () => {
    const { challenge } = (await login()).status.challenge!;
    const request = { challenge, refreshTokenTransport, proof: { $case: 'totp' as const, value: owner.code() } };
    const { login: opened, recoveryCodes } = await session().completeLogin(request);
    expect(opened).toMatchObject({ accessToken: expect.any(String), refreshToken: expect.any(String) });
    expect(recoveryCodes).toEqual([]);
  });

  it.each<[what: string, changes: Partial<CompleteLoginRequest>, outcome: string]>([
    ['without a proof', { proof: undefined }, 'VALIDATION_ERROR'],
    ['with a code of letters', { proof: { $case: 'totp', value: 'abcdef' } }, 'VALIDATION_ERROR'],
    ['without a transport', { refreshTokenTransport: 0 }, 'VALIDATION_ERROR'],
    ['for the other profile', { refreshTokenTransport: 1 }, 'CHALLENGE_INVALID'],
    ['from a page', { browserOrigin: 'https://shop.test' }, 'CHALLENGE_INVALID'],
  ])('is not answered %s', async (_what, changes, outcome) => {
    const { challenge } = (await login()).status.challenge!;
    const proof = { $case: 'recoveryCode' as const, value: owner.recoveryCodes[0]! };
    const request: CompleteLoginRequest = { challenge, refreshTokenTransport, proof, ...changes };
    expect(await outcomeOf(session().completeLogin(request))).toBe(outcome);
  });
});
