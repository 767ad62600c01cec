// Writes deploy/grafana/authservice.json, a dashboard for Grafana. With --check, it writes nothing and fails if the file differs.
// The types of Grafana's own package ensure that the file is a valid dashboard.
import {
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { VizLegendOptionsBuilder, LegendDisplayMode, LegendPlacement } from '@grafana/grafana-foundation-sdk/common';
import { writePage } from './write-page.ts';

/** Each panel: its title, its unit, and its queries with their legends. */
type PanelRow = readonly [
  title: string,
  unit: 'reqps' | 's' | 'short' | 'percentunit' | 'bytes' | 'cps',
  queries: readonly (readonly [expression: string, legend: string])[],
];

const RATE = '[$__rate_interval]';
const SELECTED = 'job=~"$job",instance=~"$instance"';

const perSecond = (metric: string, by: string, more = ''): string =>
  `sum by (${by}) (rate(${metric}{${SELECTED}${more}}${RATE}))`;
const quantile = (share: number, metric: string, by: string): string =>
  `histogram_quantile(${share}, sum by (le, ${by}) (rate(${metric}_bucket{${SELECTED}}${RATE})))`;
const gauge = (metric: string, more = ''): string => `${metric}{${SELECTED}${more}}`;

const SECTIONS: readonly (readonly [title: string, panels: readonly PanelRow[]])[] = [
  [
    'Authentication',
    [
      [
        'Logins',
        'reqps',
        [[perSecond('authentications_total', 'outcome, reason', ',kind="login"'), '{{outcome}} {{reason}}']],
      ],
      [
        'Refreshes',
        'reqps',
        [[perSecond('authentications_total', 'outcome, reason', ',kind="refresh"'), '{{outcome}} {{reason}}']],
      ],
      [
        'Token grants',
        'reqps',
        [[perSecond('authentications_total', 'outcome, reason', ',kind="grant"'), '{{outcome}} {{reason}}']],
      ],
      [
        'Authorizations of applications',
        'reqps',
        [[perSecond('authorizations_total', 'step, outcome'), '{{step}} {{outcome}}']],
      ],
      [
        'Token requests of applications',
        'reqps',
        [[perSecond('oauth_token_requests_total', 'grant, outcome'), '{{grant}} {{outcome}}']],
      ],
      ['Live grants of applications', 'short', [[`max(${gauge('oauth_grants_live')})`, 'grants']]],
      [
        'Second factors',
        'reqps',
        [[perSecond('second_factor_answers_total', 'method, outcome'), '{{method}} {{outcome}}']],
      ],
      [
        'Confirmations of sessions',
        'reqps',
        [[perSecond('session_confirmations_total', 'method, outcome'), '{{method}} {{outcome}}']],
      ],
      [
        'Replays, locks and refused refreshes',
        'cps',
        [
          [
            perSecond(
              'audit_events_total',
              'event, reason',
              ',event=~"session.refresh-token-replayed|grant.replayed|code.replayed|session.refresh-refused|account.locked|second-factor.locked"',
            ),
            '{{event}} {{reason}}',
          ],
        ],
      ],
    ],
  ],
  [
    'Requests',
    [
      [
        'REST requests by status',
        'reqps',
        [[perSecond('http_request_duration_seconds_count', 'status'), '{{status}}']],
      ],
      [
        'REST latency, 99th percentile',
        's',
        [[`topk(8, ${quantile(0.99, 'http_request_duration_seconds', 'method, route')})`, '{{method}} {{route}}']],
      ],
      [
        'Failed RPCs',
        'reqps',
        [
          [
            perSecond(
              'rpc_duration_seconds_count',
              'path, reason',
              ',reason=~"INTERNAL_ERROR|DEADLINE_EXCEEDED|.*SERVICE_UNAVAILABLE"',
            ),
            '{{reason}} {{path}}',
          ],
        ],
      ],
      [
        'RPC latency, 99th percentile',
        's',
        [[`topk(8, ${quantile(0.99, 'rpc_duration_seconds', 'path')})`, '{{path}}']],
      ],
    ],
  ],
  [
    'Limits',
    [
      [
        'Password hashes',
        'short',
        [
          [gauge('password_hashes_running'), 'running {{instance}}'],
          [gauge('password_hashes_queued'), 'queued {{instance}}'],
        ],
      ],
      [
        'Database connections',
        'short',
        [
          [gauge('database_connections', ',state="used"'), 'used {{instance}}'],
          [gauge('database_connection_waiters'), 'waiting {{instance}}'],
          [gauge('database_connections_max'), 'maximum {{instance}}'],
        ],
      ],
      [
        'Long reads',
        'short',
        [
          [gauge('database_long_reads_running'), 'running {{instance}}'],
          [gauge('database_long_reads_queued'), 'queued {{instance}}'],
        ],
      ],
      [
        'Refused by limits',
        'cps',
        [
          [perSecond('rate_limit_decisions_total', 'limit', ',decision="refused"'), 'rate limit {{limit}}'],
          [perSecond('connections_refused_total', 'server, bound'), 'connections {{server}} {{bound}}'],
        ],
      ],
      ['Open connections', 'short', [[gauge('connections_open'), '{{server}} {{instance}}']]],
    ],
  ],
  [
    'Process',
    [
      ['CPU', 'percentunit', [[`rate(process_cpu_seconds_total{${SELECTED}}${RATE})`, '{{instance}}']]],
      ['Event loop delay, 99th percentile', 's', [[gauge('nodejs_eventloop_lag_p99_seconds'), '{{instance}}']]],
      ['Resident memory', 'bytes', [[gauge('process_resident_memory_bytes'), '{{instance}}']]],
      [
        'Lost log lines and spans',
        'cps',
        [
          [perSecond('log_lines_dropped_total', 'instance'), 'log lines {{instance}}'],
          [perSecond('trace_spans_failed_total', 'instance'), 'spans {{instance}}'],
        ],
      ],
    ],
  ],
  [
    'Maintenance',
    [
      ['Expired rows', 'short', [[`max by (table) (${gauge('cleanup_backlog_rows')})`, '{{table}}']]],
      [
        'Time since the last cleanup',
        's',
        [[`time() - max(${gauge('cleanup_last_run_timestamp_seconds')})`, 'last cleanup']],
      ],
      [
        'Remaining validity of certificates',
        's',
        [[`${gauge('tls_certificate_not_after_timestamp_seconds')} - time()`, '{{user}} {{certificate}} {{instance}}']],
      ],
      ['Failed TLS handshakes', 'cps', [[perSecond('rpc_tls_handshakes_failed_total', 'instance'), '{{instance}}']]],
    ],
  ],
  [
    'Webhooks',
    [
      ['Attempts of webhooks', 'cps', [[perSecond('webhook_attempts_total', 'result'), '{{result}}']]],
      ['Wait of events for webhooks', 's', [[`max(${gauge('webhook_lag_seconds')})`, 'oldest']]],
      [
        'Failing and disabled webhooks',
        'short',
        [
          [`max(${gauge('webhooks_failing')})`, 'failing'],
          [`max by (reason) (${gauge('webhooks_disabled')})`, 'disabled: {{reason}}'],
        ],
      ],
    ],
  ],
  [
    'Audit records',
    [
      ['Wait of audit records for their seals', 's', [[`max(${gauge('audit_seal_lag_seconds')})`, 'oldest']]],
      ['Lag of the slowest stream', 's', [[`max(${gauge('audit_stream_lag_seconds')})`, 'slowest']]],
      ['Streams of audit records', 'short', [[gauge('audit_streams'), '{{instance}}']]],
      ['Wait of audit records for the collector', 's', [[`max(${gauge('audit_export_lag_seconds')})`, 'oldest']]],
      [
        'Exported audit records',
        'cps',
        [
          [perSecond('audit_export_records_total', 'instance'), 'accepted {{instance}}'],
          [perSecond('audit_export_rejected_total', 'instance'), 'rejected {{instance}}'],
          [perSecond('audit_export_failures_total', 'instance'), 'failed requests {{instance}}'],
        ],
      ],
    ],
  ],
  [
    'Mail',
    [
      ['Attempts to send mails', 'cps', [[perSecond('mail_attempts_total', 'result'), '{{result}}']]],
      ['Wait of the oldest mail', 's', [[`max(${gauge('mails_oldest_seconds')})`, 'oldest']]],
      [
        'Waiting and given up mails',
        'short',
        [
          [`max(${gauge('mails_waiting')})`, 'waiting'],
          [`max(${gauge('mails_dead')})`, 'given up'],
        ],
      ],
    ],
  ],
];

const SOURCE = { type: 'prometheus', uid: '${datasource}' };

function panel([title, unit, queries]: PanelRow): PanelBuilder {
  const legend = new VizLegendOptionsBuilder()
    .showLegend(true)
    .displayMode(LegendDisplayMode.List)
    .placement(LegendPlacement.Bottom);
  const built = new PanelBuilder().title(title).unit(unit).min(0).datasource(SOURCE).legend(legend).span(6).height(8);
  queries.forEach(([expression, text], index) => {
    built.withTarget(
      new DataqueryBuilder()
        .refId(String.fromCharCode(65 + index))
        .expr(expression)
        .legendFormat(text),
    );
  });
  return built;
}

function dashboard(): DashboardBuilder {
  const variable = (name: string, query: string): QueryVariableBuilder =>
    new QueryVariableBuilder(name)
      .datasource(SOURCE)
      .query(query)
      .refresh(2)
      .multi(true)
      .includeAll(true)
      .allValue('.*');
  const built = new DashboardBuilder('Authentication service')
    .uid('authservice')
    .tags(['authservice'])
    .refresh('30s')
    .time({ from: 'now-1h', to: 'now' })
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(new DatasourceVariableBuilder('datasource').type('prometheus').label('Prometheus'))
    .withVariable(variable('job', 'label_values(process_cpu_seconds_total, job)'))
    .withVariable(variable('instance', 'label_values(process_cpu_seconds_total{job=~"$job"}, instance)'));
  for (const [title, panels] of SECTIONS) {
    built.withRow(new RowBuilder(title));
    for (const row of panels) built.withPanel(panel(row));
  }
  return built;
}

const text = `${JSON.stringify(dashboard().build(), null, 2)}\n`;
writePage('deploy/grafana/authservice.json', text);
