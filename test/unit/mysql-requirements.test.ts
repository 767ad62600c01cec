import { describe, expect, it } from 'vitest';
import { type ServerFacts, serverProblem, serverWarning } from '../../src/platform/db/mysql/server.ts';

const facts = (version: string, more: Partial<ServerFacts> = {}): ServerFacts => ({
  version,
  hasMovingSysdate: true,
  hasInnodb: true,
  binlogFormat: 'ROW',
  isMultiPrimary: false,
  ...more,
});

describe('the version of a server', () => {
  it.each([
    '8.4.0',
    '8.4.7-commercial',
    '9.7.4-2',
    '10.6.0-MariaDB',
    '10.11.19-MariaDB-0+deb12u1',
    '11.8.6-MariaDB',
    '12.0.2-MariaDB',
  ])('%s is supported', (version) => {
    expect(serverProblem(facts(version))).toBeUndefined();
    expect(serverWarning(facts(version))).toBeUndefined();
  });
  it.each(['8.0.44', '8.1.0', '9.6.0', '9.10.0', '10.0.1'])('%s logs a warning with the supported ones', (version) => {
    expect(serverProblem(facts(version))).toBeUndefined();
    expect(serverWarning(facts(version))).toBe(
      `MySQL ${version} is not a supported version; use MySQL 8.4 LTS, MySQL 9.7 LTS, MariaDB 10.6 and later`,
    );
  });
  it.each(['5.7.44-log', '5.5.5', '10.5.29-MariaDB-0+deb11u1', '10.3.39-mariadb', 'unknown', ''])(
    '%s is rejected',
    (version) => {
      expect(serverProblem(facts(version))).toBe(
        `${/maria/i.test(version) ? 'MariaDB' : 'MySQL'} ${version} is not supported; use MySQL 8.4 LTS, MySQL 9.7 LTS, MariaDB 10.6 and later`,
      );
    },
  );
});

describe('a missing requirement of a supported version', () => {
  it.each([
    [{ hasInnodb: false }, 'MySQL 8.4.7 runs without InnoDB; start it with InnoDB'],
    [
      { hasMovingSysdate: false },
      expect.stringMatching(/^MySQL 8\.4\.7 runs with sysdate-is-now, .*; start it without$/),
    ],
    [
      { binlogFormat: 'STATEMENT' },
      expect.stringMatching(/^MySQL 8\.4\.7 has binlog_format=STATEMENT, .*; set binlog_format=ROW$/),
    ],
    [
      { isMultiPrimary: true },
      expect.stringMatching(/^MySQL 8\.4\.7 belongs to a multi-primary group, .*; use single-primary mode$/),
    ],
  ])('%j is rejected with its remedy', (more, expected) => {
    expect(serverProblem(facts('8.4.7', more))).toEqual(expected);
  });
  it.each(['ROW', 'MIXED', undefined])('binary log %s is accepted', (binlogFormat) => {
    expect(serverProblem(facts('8.4.7', { binlogFormat }))).toBeUndefined();
  });
});
