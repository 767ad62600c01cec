// Without app.tracing.otlp-endpoint, no package of OpenTelemetry is loaded.
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import type { Tracing } from './tracer.ts';

type TracingSettings = Pick<
  Settings,
  'app.env' | 'app.tracing.otlp-endpoint' | 'app.tracing.sample-ratio' | 'app.tracing.service-name'
>;

/** Starts to send traces to app.tracing.otlp-endpoint. Returns undefined if it is not set. */
export async function openTracing(settings: TracingSettings, log: Logger): Promise<Tracing | undefined> {
  const endpoint = settings['app.tracing.otlp-endpoint'];
  if (endpoint === undefined) return undefined;
  const { createOtlpTracing } = await import('./otlp-tracing.ts');
  return createOtlpTracing({
    endpoint,
    sampleRatio: settings['app.tracing.sample-ratio'],
    serviceName: settings['app.tracing.service-name'],
    environment: settings['app.env'],
    log,
  });
}
