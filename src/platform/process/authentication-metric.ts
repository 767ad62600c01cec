import type { ReasonName } from '../errors.ts';
import type { Metric } from '../metric.ts';
import { isServerFault } from '../rpc/errors/server-faults.ts';

const KINDS: Readonly<Record<string, string>> = {
  '/authservice.session.v1.SessionService/Login': 'login',
  '/authservice.session.v1.SessionService/Refresh': 'refresh',
  '/authservice.clientcredentials.v1.ClientCredentialsService/IssueToken': 'grant',
};

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

export interface AuthenticationMetric {
  readonly metric: Metric;
  /** Returns a function that counts one call with this outcome; undefined for other RPCs. */
  counter(path: string, reason: ReasonName | 'OK'): (() => void) | undefined;
}

/** Counts logins, refreshes and grants by outcome and reason. */
export function createAuthenticationMetric(): AuthenticationMetric {
  const all: Series[] = [];
  return {
    metric: {
      name: 'authentications_total',
      help: 'Logins, refreshes and token grants, by outcome and reason.',
      type: 'counter',
      labelNames: ['kind', 'outcome', 'reason'],
      read: () => all,
    },
    counter(path, reason) {
      const kind = KINDS[path];
      if (kind === undefined) return undefined;
      const series: Series = { labels: { kind, outcome: outcomeOf(reason), reason }, value: 0 };
      all.push(series);
      return () => void (series.value += 1);
    },
  };
}

function outcomeOf(reason: ReasonName | 'OK'): string {
  if (reason === 'OK') return 'success';
  return isServerFault(reason) ? 'error' : 'refused';
}
