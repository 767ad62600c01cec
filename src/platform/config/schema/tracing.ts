import { ratio, optional, text } from '../kinds.ts';
import { httpUrl } from '../network-kinds.ts';
import { both } from '../setting.ts';

/** Traces for an OpenTelemetry collector. */
export const TRACING_SETTINGS = {
  'app.tracing.otlp-endpoint': both(
    optional(httpUrl),
    'none',
    'OpenTelemetry collector that receives traces: the base URL of its OTLP/HTTP receiver. The path `/v1/traces` is added. ' +
      '`none` records no traces and costs nothing.',
  ),
  'app.tracing.sample-ratio': both(
    ratio,
    '1',
    'Share of the traces that are recorded. A request with a `traceparent` header follows the decision in that header.',
  ),
  'app.tracing.service-name': both(
    text(100),
    { rule: '`app.name`', of: (basis) => basis['app.name'] },
    'Name of the process in traces and exported audit records (`service.name`). Give gateway and core different names if they run apart.',
  ),
};
