// Answers a device that asks for its tokens (RFC 8628 section 3.4).
import type {
  ExchangeTokenRequest,
  ExchangeTokenResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { DependencyUnavailableError, ServiceError } from '../../../platform/errors.ts';
import type { Call } from '../../access/principal.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { findCode } from '../codes/code-store.ts';
import type { RedeemCode } from '../codes/redeem-code.ts';
import type { FindStanding, Standing } from '../grants/standing.ts';
import { resourceOf } from '../tokens/resource.ts';
import { decideDevicePoll } from './decide-device.ts';
import { POLL_INTERVAL_S, type DeviceStore } from './device-store.ts';

export interface PollDeviceDependencies {
  readonly database: Database;
  readonly devices: Pick<DeviceStore, 'findByDeviceCode' | 'poll'>;
  readonly findStanding: FindStanding;
  readonly redeemCode: RedeemCode;
  readonly clock: Clock;
}

/** Another poll or the decision, which came first, is seen in the next round. */
const MAX_TRIES = 5;
const NO_RESOURCES = { resources: [] };

export function createPollDevice({ database, devices, findStanding, redeemCode, clock }: PollDeviceDependencies) {
  return async (
    request: ExchangeTokenRequest & { readonly deviceCode: string },
    application: ClientApplication,
    call: Call,
  ): Promise<ExchangeTokenResponse> => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const pending = await devices.findByDeviceCode(request.deviceCode);
      // Read afterwards: an allowed request becomes a code in one transaction.
      const code = pending ? undefined : await findCode(database, request.deviceCode);
      const standing = code && (await findStanding({ ...code, offline: false }, application));
      const refusal = standing && 'refusal' in standing ? standing.refusal : undefined;
      const now = clock();
      const decision = decideDevicePoll({ pending, code, application, refusal, now });
      if (decision.kind === 'refuse') throw new ServiceError(decision.error, { detail: decision.detail });
      if (decision.kind === 'replay') return redeemCode.revokeReplayed(code!, application, call);
      if (decision.kind === 'redeem') {
        const resource = resourceOf(request.resource, code!.resource, code!.resource ? application : NO_RESOURCES);
        const terms = { application, standing: standing as Standing, resource };
        const response = await redeemCode.redeem(code!, terms, call);
        if (response) return response;
        continue;
      }
      const isEarly = decision.kind === 'slow-down';
      const interval = pending!.interval + (isEarly ? POLL_INTERVAL_S : 0);
      if (await devices.poll(pending!, { now, interval }, call.deadline))
        throw new ServiceError(isEarly ? 'SLOW_DOWN' : 'AUTHORIZATION_PENDING', {
          detail: `ask again in ${interval} s`,
        });
    }
    throw new DependencyUnavailableError('the device could not be answered in time');
  };
}
