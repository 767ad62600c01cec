// A start without its database: it waits, logs the reason, and continues by itself.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createConnection } from 'mysql2/promise';
import { privateServer } from '../support/databases.ts';
import type { MysqlServer } from '../support/mysql-server.ts';
import {
  emptyFolder,
  endProcesses,
  freePort,
  SHOP_SETTINGS,
  startProgram,
  type ServiceProcess,
} from '../support/service-process.ts';

const ORDERLY = { code: 0, signal: null };

afterEach(endProcesses);

const startOn = (url: string, more: Record<string, string> = {}): ServiceProcess =>
  startProgram('gateway', { settings: { ...SHOP_SETTINGS, 'app.database.url': url, ...more } });

describe('the start without its MySQL server', () => {
  let server: MysqlServer;
  beforeAll(async () => {
    server = await privateServer();
  });
  afterAll(() => server.stop());

  it('waits with a log message without the password, while health endpoints respond', async () => {
    await server.kill();
    const url = new URL(server.url);
    url.password = 'pass-word-1';
    const port = await freePort();
    const service = startOn(url.href, { 'app.management.port': port });
    const line = await service.logged(/^waiting for the database/);
    expect(line.level).toBe('warn');
    expect(line.msg).toContain(`MySQL ${url.host}${url.pathname}`);
    expect(service.output()).not.toContain('pass-word-1');
    expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(503);
    expect(await service.stop()).toEqual(ORDERLY);
  });

  it('continues as soon as the server responds', async () => {
    const service = startOn(server.url);
    await service.logged(/^waiting for the database/);
    await server.restart();
    const { http } = await service.ready();
    expect((await fetch(`${http}/health/ready`)).status).toBe(200);
    expect(service.logs().filter(({ level }) => level === 'fatal' || level === 'error')).toEqual([]);
    expect(await service.stop()).toEqual(ORDERLY);
  });

  it('continues after the database was created', async () => {
    const url = new URL(server.url);
    url.pathname = '/later';
    const service = startOn(url.href);
    expect((await service.logged(/^waiting for the database/)).msg).toMatch(/unknown database/);
    const connection = await createConnection({ uri: server.url });
    await connection.query('CREATE DATABASE later');
    await connection.end();
    await service.ready();
  });

  it('ends at SIGTERM, also while the server is frozen', async () => {
    await server.freeze();
    const service = startOn(server.url);
    await service.logged(/^waiting for the database/);
    const asked = performance.now();
    expect(await service.stop()).toEqual(ORDERLY);
    expect(performance.now() - asked).toBeLessThan(4_000);
    server.thaw();
  });
});

describe('the start without a usable SQLite file', () => {
  it('fails at once if the file is not a database', async () => {
    const file = join(emptyFolder(), 'service.db');
    writeFileSync(file, 'This is a letter, not a database. '.repeat(100));
    const service = startOn(`sqlite:${file}`);
    expect(await service.exited).toEqual({ code: 78, signal: null });
    const { msg } = service.logs().find(({ level }) => level === 'fatal')!;
    expect(msg).toContain(`the start failed: SQLite ${file} cannot be used`);
    expect(msg).toContain('app.database.url');
    expect(service.output()).not.toContain('stack');
  });

  it('fails at once if the path is a folder', async () => {
    const folder = emptyFolder();
    const service = startOn(`sqlite:${folder}`);
    expect(await service.exited).toEqual({ code: 78, signal: null });
    const { msg } = service.logs().find(({ level }) => level === 'fatal')!;
    expect(msg).toContain(`SQLite ${folder} cannot be used: it is not a file; give another app.database.url`);
  });

  it('fails at once if the folder cannot be created', async () => {
    const file = join(emptyFolder(), 'file');
    writeFileSync(file, '');
    const service = startOn(`sqlite:${file}/service.db`);
    expect(await service.exited).toEqual({ code: 78, signal: null });
    expect(service.logs().find(({ level }) => level === 'fatal')!.msg).toContain('the start failed: ');
    expect(service.output()).toContain(file);
    expect(service.output()).not.toContain('stack');
  });
});
