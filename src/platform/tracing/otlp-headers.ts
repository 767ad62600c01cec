import { parseKeyPairsIntoRecord } from '@opentelemetry/core';

/**
 * Returns the headers of requests to a collector of logs, such as its API key, from the variables of OpenTelemetry's specification.
 *
 * @param env The environment of the process.
 */
export function readLogHeaders(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const names = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_LOGS_HEADERS'];
  return Object.assign({}, ...names.map((name) => parseKeyPairsIntoRecord(env[name]))) as Record<string, string>;
}
