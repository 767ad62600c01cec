import { describe, expect, it } from 'vitest';
import { parseDatabaseUrl, type MysqlUrl } from '../../src/platform/db/database-url.ts';
import { mysqlTarget } from '../../src/platform/db/mysql/target.ts';

const targetOf = (url: string) => mysqlTarget(parseDatabaseUrl(url) as MysqlUrl);
const mysql = (url: string) => targetOf(url).hosts[0]!;

describe('database URL', () => {
  it('names a SQLite file or memory', () => {
    expect(parseDatabaseUrl('sqlite:data/service.db')).toMatchObject({ engine: 'sqlite', filename: 'data/service.db' });
    expect(parseDatabaseUrl('sqlite::memory:')).toMatchObject({ filename: ':memory:' });
  });

  it('names a MySQL server', () => {
    expect(mysql('mysql://us%40er:p%3Ass@db.example:3307/shop')).toEqual({
      connection: { host: 'db.example', port: 3307, user: 'us@er', password: 'p:ss', database: 'shop' },
      address: 'MySQL db.example:3307/shop',
    });
    expect(mysql('mysql://root@[::1]/shop').connection).toMatchObject({ host: '::1', port: 3306 });
    expect(mysql('mysql://root@localhost/shop?socketPath=/run/my.sock')).toEqual({
      connection: { socketPath: '/run/my.sock', user: 'root', password: '', database: 'shop' },
      address: 'MySQL /run/my.sock/shop',
    });
  });

  it('names several MySQL servers in order of preference', () => {
    const { hosts, address } = targetOf('mysql://us%40er:p,ss@a:3307,b,[::1]:3309/shop?ssl=true');
    expect(hosts.map(({ connection: { host, port } }) => [host, port])).toEqual([
      ['a', 3307],
      ['b', 3306],
      ['::1', 3309],
    ]);
    expect(hosts.map((host) => host.address)).toEqual([
      'MySQL a:3307/shop',
      'MySQL b:3306/shop',
      'MySQL [::1]:3309/shop',
    ]);
    for (const { connection } of hosts) {
      expect(connection).toMatchObject({
        user: 'us@er',
        password: 'p,ss',
        database: 'shop',
        ssl: { verifyIdentity: true },
      });
    }
    expect(address).toBe('MySQL a:3307,b:3306,[::1]:3309/shop');
  });

  it('requires TLS with a verified certificate', () => {
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
    ['', 'must start with mysql://, or be sqlite:PATH'],
    ['sqlite:', 'must start with mysql://, or be sqlite:PATH'],
    ['sqlite://data/service.db', 'must start with mysql://, or be sqlite:PATH'],
    ['postgres://u:hidden@h/d', 'must start with mysql://, or be sqlite:PATH'],
    ['mysql://u:hidden@h', 'has no database name'],
    ['mysql://u:hid:den@h:port/d', 'cannot be parsed'],
    ['mysql://u:hid%zzden@h/d', 'cannot be parsed'],
    ['mysql://u:hidden@h/d/e', 'cannot be parsed'],
    ['mysql://u:hidden@h/d#e', 'cannot be parsed'],
    ['mysql://u:hidden@a,/d', 'cannot be parsed'],
    ['mysql://u:hidden@a,b:port/d', 'cannot be parsed'],
    ['mysql://u:hidden@a,b,a:3306/d', 'names a host twice'],
    ['mysql://u:hidden@a,b/d?socketPath=/s', 'give one host'],
    ['mysql://u:hidden@h/d?tls=true', 'Unknown database URL parameter tls'],
    ['mysql://u:hidden@h/d?ssl=yes', 'ssl must be true or false'],
    ['mysql://u:hidden@h/d?ssl=true&ssl=true', 'ssl is given twice'],
    ['mysql://u:hidden@h/d?socketPath=', 'socketPath is empty'],
    ['mysql://u:hidden@h/d?ssl-ca=/nowhere.pem', 'cannot be read: /nowhere.pem'],
  ])('rejects %s without the password in the message', (url, message) => {
    expect(() => mysql(url)).toThrow(message);
    expect(() => mysql(url)).not.toThrow(/hid/);
  });
});
