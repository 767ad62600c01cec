import { describe, expect, it } from 'vitest';
import { parseDatabaseUrl, type MysqlTarget } from '../../src/db/database-url.ts';

const mysql = (url: string) => parseDatabaseUrl(url) as MysqlTarget;

describe('database URL', () => {
  it('names a SQLite file or memory', () => {
    expect(parseDatabaseUrl('sqlite:data/service.db')).toMatchObject({ engine: 'sqlite', filename: 'data/service.db' });
    expect(parseDatabaseUrl('sqlite::memory:')).toMatchObject({ filename: ':memory:' });
  });

  it('names a MySQL server', () => {
    expect(mysql('mysql://us%40er:p%3Ass@db.example:3307/shop')).toEqual({
      engine: 'mysql',
      connection: { host: 'db.example', port: 3307, user: 'us@er', password: 'p:ss', database: 'shop' },
      address: 'MySQL db.example:3307/shop',
    });
    expect(mysql('mysql://root@[::1]/shop').connection).toMatchObject({ host: '::1', port: 3306 });
    expect(mysql('mysql://root@localhost/shop?socketPath=/run/my.sock').connection).not.toHaveProperty('host');
  });

  it('asks for TLS with a checked certificate', () => {
    expect(mysql('mysql://root@db/shop?ssl=true').connection.ssl).toEqual({
      rejectUnauthorized: true,
      verifyIdentity: true,
      minVersion: 'TLSv1.2',
    });
    expect(mysql('mysql://root@db/shop?ssl-ca=package.json').connection.ssl).toMatchObject({ ca: expect.any(String) });
    expect(mysql('mysql://root@db/shop?ssl=true&ssl-verify-identity=false').connection.ssl).toMatchObject({
      rejectUnauthorized: true,
      verifyIdentity: false,
    });
    expect(mysql('mysql://root@db/shop').connection).not.toHaveProperty('ssl');
  });

  it.each([
    ['', 'must start with sqlite: or mysql://'],
    ['sqlite:', 'must start with sqlite: or mysql://'],
    ['postgres://u:hidden@h/d', 'must start with sqlite: or mysql://'],
    ['mysql://u:hidden@h', 'names no database'],
    ['mysql://u:hid:den@h:port/d', 'cannot be parsed'],
    ['mysql://u:hidden@h/d?tls=true', 'Unknown database URL parameter tls'],
    ['mysql://u:hidden@h/d?ssl=yes', 'ssl must be true or false'],
    ['mysql://u:hidden@h/d?ssl-ca=/nowhere.pem', 'cannot be read: /nowhere.pem'],
  ])('refuses %s and shows no password', (url, message) => {
    expect(() => parseDatabaseUrl(url)).toThrow(message);
    expect(() => parseDatabaseUrl(url)).not.toThrow(/hidden/);
  });
});
