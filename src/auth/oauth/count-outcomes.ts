// What the OpenID provider counts of authorizations and token requests. The values of all labels are few.
import { ServiceError } from '../../platform/errors.ts';
import type { Metric } from '../../platform/metric.ts';
import { isServerFault } from '../../platform/problem/catalogue.ts';

/** Where an authorization is decided: at the request of the application, on the page after it, or on the page for devices. */
export type AuthorizationStep = 'request' | 'page' | 'device';

/** Creates the counters of this process. */
export function createOutcomeCounts() {
  const authorizations = createCounter({
    name: 'authorizations_total',
    help:
      'Authorizations by step and outcome: a code, the login page, a page with an error, or the error that the application gets. A ' +
      'request that leads to the page is decided there.',
    labelNames: ['step', 'outcome'],
  });
  const tokenRequests = createCounter({
    name: 'oauth_token_requests_total',
    help:
      'Token requests at the endpoint of the OpenID provider, by grant type and outcome: issued, pending (a device whose user has not ' +
      'decided), refused, or error of the service.',
    labelNames: ['grant', 'outcome'],
  });
  return {
    /** @param outcome `code`, `login`, `error-page`, or an error code of OAuth. */
    authorization: (step: AuthorizationStep, outcome: string) => authorizations.add({ step, outcome }),
    /** @param error Undefined if tokens were issued. */
    tokenRequest: (grant: string, error?: unknown) => tokenRequests.add({ grant, outcome: outcomeOf(error) }),
    metrics: [authorizations.metric, tokenRequests.metric],
  };
}

const PENDING: readonly string[] = ['AUTHORIZATION_PENDING', 'SLOW_DOWN'];

function outcomeOf(error: unknown): string {
  if (error === undefined) return 'issued';
  if (!(error instanceof ServiceError) || isServerFault(error.reason)) return 'error';
  return PENDING.includes(error.reason) ? 'pending' : 'refused';
}

function createCounter(metric: Pick<Metric, 'name' | 'help' | 'labelNames'>) {
  const counts = new Map<string, { readonly labels: Readonly<Record<string, string>>; value: number }>();
  return {
    add(labels: Readonly<Record<string, string>>): void {
      const key = JSON.stringify(labels);
      const sample = counts.get(key) ?? { labels, value: 0 };
      sample.value += 1;
      counts.set(key, sample);
    },
    metric: { ...metric, type: 'counter', read: () => [...counts.values()] } satisfies Metric,
  };
}
