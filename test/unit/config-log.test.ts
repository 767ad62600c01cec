import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { unavailable } from '../../src/platform/db/errors.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import { createLogger } from '../../src/platform/process/log.ts';
import type { LoggerOptions } from '../../src/platform/process/log.ts';

function capture(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: createLogger({ level: 'info', format: 'json', name: 'service', destination, ...options }), lines };
}

describe('the logger', () => {
  it('writes JSON with name, level and time, at once', () => {
    const { log, lines } = capture();
    log.info({ port: 1 }, 'listening');
    expect(JSON.parse(lines[0]!)).toMatchObject({ name: 'service', level: 'info', port: 1, msg: 'listening' });
    expect(JSON.parse(lines[0]!).time).toMatch(/^\d{4}-.*Z$/);
  });

  it('writes JSON for auto without a terminal', () => {
    const { log, lines } = capture({ format: 'auto' });
    log.info('listening');
    expect(JSON.parse(lines[0]!).msg).toBe('listening');
  });

  it('writes readable lines at once for pretty', () => {
    const { log, lines } = capture({ format: 'pretty' });
    log.warn({ port: 1 }, 'listening');
    expect(lines.join('')).toMatch(/^.*WARN.*listening.*"port":1.*\n$/);
    expect(() => JSON.parse(lines.join(''))).toThrow();
  });

  it('applies the level', () => {
    const { log, lines } = capture({ level: 'error' });
    log.warn('no');
    log.error('yes');
    expect(lines).toHaveLength(1);
  });

  it('writes no stack of an unavailable dependency, and a job that an outage of the database has failed at debug only', () => {
    const quiet = capture();
    quiet.log.warn({ err: unavailable('no answer') }, 'the next interval tries again');
    expect(quiet.lines).toEqual([]);
    quiet.log.error({ err: unavailable('no answer') }, 'given up');
    quiet.log.warn({ err: new DependencyUnavailableError('Redis: refused') }, 'not counted');
    expect(quiet.lines.map((line) => JSON.parse(line).err)).toEqual([
      { type: 'DependencyUnavailableError', message: 'Database unavailable: no answer' },
      { type: 'DependencyUnavailableError', message: 'Redis: refused' },
    ]);
    const verbose = capture({ level: 'debug' });
    verbose.log.warn({ err: unavailable('no answer') }, 'the next interval tries again');
    expect(JSON.parse(verbose.lines[0]!)).toMatchObject({ level: 'debug', msg: 'the next interval tries again' });
    verbose.log.warn({ err: new TypeError('defect') }, 'failed');
    expect(JSON.parse(verbose.lines[1]!)).toMatchObject({
      level: 'warn',
      err: { stack: expect.stringContaining('at ') },
    });
  });

  it.each([
    { password: 'hush' },
    { body: { password: 'hush' } },
    { headers: { authorization: 'hush' } },
    { req: { headers: { cookie: 'hush', 'x-api-key': 'hush', 'x-refresh-token': 'hush' } } },
    { res: { headers: { 'set-cookie': 'hush' } } },
    { err: Object.assign(new Error('failed'), { sql: 'hush' }) },
  ])('hides secrets of %j', (fields) => {
    const { log, lines } = capture();
    log.info(fields, 'line');
    expect(lines.join('')).toContain('line');
    expect(lines.join('')).not.toContain('hush');
  });
});
