// The image of `npm run image` and that of deploy/Dockerfile are the same container.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CONTAINER, HEALTH_CHECK } from '../../scripts/image/config.ts';
import { PROJECT } from '../support/service-process.ts';

it('has the user, folder, ports, commands, health check and files of the Dockerfile', () => {
  const text = readFileSync(join(PROJECT, 'deploy/Dockerfile'), 'utf8').replaceAll(/ \\\n +/g, ' ');
  const last = text.slice(text.lastIndexOf('FROM '));
  const all = (name: string) => [...last.matchAll(new RegExp(`^${name} (.+)$`, 'gm'))].map(([, value]) => value!);
  const one = (name: string) => all(name).join();
  expect(one('USER')).toBe(CONTAINER.User);
  expect(one('WORKDIR')).toBe(CONTAINER.WorkingDir);
  expect(one('STOPSIGNAL')).toBe(CONTAINER.StopSignal);
  expect(one('VOLUME').split(' ')).toEqual(Object.keys(CONTAINER.Volumes));
  expect(
    one('EXPOSE')
      .split(' ')
      .map((port) => `${port}/tcp`),
  ).toEqual(Object.keys(CONTAINER.ExposedPorts));
  expect(JSON.parse(one('ENTRYPOINT'))).toEqual(CONTAINER.Entrypoint);
  expect(JSON.parse(one('CMD'))).toEqual(CONTAINER.Cmd);
  expect(CONTAINER.Env).toEqual(expect.arrayContaining(all('ENV')));
  const { Test, Interval, Timeout, StartPeriod, Retries } = CONTAINER.Healthcheck;
  const seconds = [Interval, Timeout, StartPeriod].map((time) => `${time / 1e9}s`);
  expect(one('HEALTHCHECK')).toBe(
    `--interval=${seconds[0]} --timeout=${seconds[1]} --start-period=${seconds[2]} --retries=${Retries} ` +
      `CMD ${JSON.stringify(Test.slice(1)).replaceAll(',', ', ')}`,
  );
  expect(all('COPY')).toEqual([
    '--from=build /app/node_modules node_modules',
    '--from=build /app/dist .',
    `${HEALTH_CHECK} ${HEALTH_CHECK}`,
  ]);
});
