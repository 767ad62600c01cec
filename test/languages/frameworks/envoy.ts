// Envoy with its JWT filter, before a service that returns the headers it gets.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder, freePort, PROJECT } from '../../support/service-process.ts';
import { envoyProgram } from '../envoy-program.ts';
import { start } from '../proxies/programs.ts';
import { startEcho } from '../proxies/service.ts';

/** Starts it with the configuration of the docs, at the ports of this run; resolves with its URL and an end to it. */
export async function startEnvoy(issuer: string) {
  const program = await envoyProgram();
  const folder = emptyFolder();
  const echo = await startEcho();
  const listen = await freePort();
  const file = join(folder, 'envoy.yaml');
  const configuration = readFileSync(join(PROJECT, 'examples/proxies/envoy-jwt.yaml'), 'utf8')
    // The key set is at the root of the origin, whatever path the issuer has.
    .replaceAll('https://auth.example.com/', `${new URL(issuer).origin}/`)
    .replaceAll('issuer: https://auth.example.com', `issuer: ${issuer}`)
    .replaceAll('port_value: 8000', `port_value: ${listen}`)
    .replaceAll('port_value: 8080', `port_value: ${new URL(issuer).port}`)
    .replaceAll('port_value: 3000', `port_value: ${echo.port}`)
    // A test does not wait for 5 minutes.
    .replaceAll('cache_duration: 300s', 'cache_duration: 1s');
  writeFileSync(file, configuration);
  const stop = await start(program, ['-c', file, '--base-id', listen, '--concurrency', '1'], Number(listen), folder);
  return {
    url: `http://127.0.0.1:${listen}`,
    async stop() {
      await stop();
      echo.server.close();
    },
  };
}
