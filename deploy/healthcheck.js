// The health check of the image: exits with 0 if the process is ready. `cli/main.js healthcheck` does the same with all
// sources of settings, in seven times the CPU time. This one runs every 15 s for as long as the container does.
// It reads APP_MANAGEMENT_HOST and APP_MANAGEMENT_PORT only. Another URL: healthcheck.js --url http://127.0.0.1:9091
import { get } from 'node:http';

const TIMEOUT_MS = 3_000;
const ALL_ADDRESSES = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function baseUrl([option, url], { APP_MANAGEMENT_HOST = '127.0.0.1', APP_MANAGEMENT_PORT = '9090' }) {
  if (option === '--url' && url !== undefined) return url;
  const host = ALL_ADDRESSES[APP_MANAGEMENT_HOST] ?? APP_MANAGEMENT_HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${APP_MANAGEMENT_PORT}`;
}

function end(exitCode, text) {
  console.log(text);
  process.exit(exitCode);
}

const url = `${baseUrl(process.argv.slice(2), process.env)}/health/ready`;
get(url, { timeout: TIMEOUT_MS }, ({ statusCode }) => end(statusCode === 200 ? 0 : 1, `${url}: ${statusCode}`))
  .on('timeout', () => end(1, `${url} does not respond within ${TIMEOUT_MS} ms`))
  .on('error', ({ message }) => end(1, `${url} does not respond: ${message}`));
