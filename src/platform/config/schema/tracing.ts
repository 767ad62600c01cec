import { ratio, optional, text } from '../kinds.ts';
import { httpUrl } from '../network-kinds.ts';
import { setting } from '../setting.ts';

/** Traces for an OpenTelemetry collector. */
export const TRACING_SETTINGS = {
  'app.tracing.otlp-endpoint': setting({
    owner: 'both',
    kind: optional(httpUrl),
    default: 'none',
    doc:
      'OpenTelemetry collector that receives traces: the base URL of its OTLP/HTTP receiver. The path `/v1/traces` is added. ' +
      '`none` records no traces and costs nothing.',
  }),
  'app.tracing.sample-ratio': setting({
    owner: 'both',
    kind: ratio,
    default: '1',
    doc: 'Share of the traces that are recorded. A request with a `traceparent` header follows the decision in that header.',
  }),
  'app.tracing.service-name': setting({
    owner: 'both',
    kind: text(100),
    default: { rule: '`app.name`', of: (basis) => basis['app.name'] },
    doc: 'Name of the process in traces (`service.name`). Give gateway and core different names if they run apart.',
  }),
};
