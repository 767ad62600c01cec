// Errors in bootstrap files: every problem is reported with its place, and no message shows a secret.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBootstrapPlan } from '../../src/composition/bootstrap/plan-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const SECRETS = ['s3cret', '12345678'];

describe('an invalid bootstrap file', () => {
  const FAULTS: readonly [name: string, file: string | Buffer, problems: readonly (string | RegExp)[]][] = [
    [
      'schema errors',
      `
superAdmins: [{username: root, password: s3cret, role: ADMIN}]
tenant: []
tenants:
  - id: ACME Corp
    users:
      - {username: a, password: "", roles: [ADMIN]}
      - {username: b, password: 12345678, roles: [SUPER_ADMIN]}
      - {username: c, password: s3cret, roles: []}
      - {username: d, password: s3cret, roles: [king], disabled: "yes"}
      - {username: e, password: s3cret, roles: [ADMIN, ADMIN], accountExpiresAt: tomorrow}
      - {username: " ", password: s3cret, roles: [ADMIN], credentialsExpireAt: 2030-02-31}
      - {password:s3cret, roles: [ADMIN]}
      - {username: A, password: s3cret, roles: [ADMIN]}
      - {username: f, password: s3cret, invite: true, email: f@mail.test, roles: [ADMIN]}
      - {username: g, invite: true, roles: [ADMIN]}
      - {username: h, invite: false, email: h@mail.test, roles: [ADMIN]}
    serviceAccounts: [{clientId: root, clientSecret: s3cret, roles: [MANAGER]}]
    applications: [{clientId: Root, clientSecret: s3cret, type: WEB}]
  - {id: acme, loginDomains: [a b, x.test]}
  - {id: acme, loginDomains: [X.test]}
`,
      [
        '/superAdmins/0: the key role is unknown',
        '/: the key tenant is unknown',
        '/tenants/0/id: must match pattern',
        '/tenants/0/users/0/password: must not have fewer than 1 characters',
        '/tenants/0/users/1/password: must be string',
        /users\/1\/roles\/0: must be one of TENANT_ADMIN, ADMIN, [A-Z_, ]*TENANT_USER\b/,
        '/tenants/0/users/2/roles: must not have fewer than 1 items',
        '/tenants/0/users/3/roles/0: must be one of',
        '/tenants/0/users/3/disabled: must be boolean',
        '/tenants/0/users/4/roles: must not have duplicate items',
        '/tenants/0/users/4/accountExpiresAt: must be a time such as',
        '/tenants/0/users/5/username: must have 1 to 254 characters',
        '/tenants/0/users/5/credentialsExpireAt: must be a time such as',
        '/tenants/0/users/6: the key password is unknown',
        '/tenants/0/users/6: must have required properties username',
        '/tenants/0/users/8: needs a password, or `invite: true` and an email',
        '/tenants/0/users/9: needs a password',
        '/tenants/0/users/10: needs a password',
        '/tenants/0/users/7/username: is given twice',
        '/tenants/0/serviceAccounts/0/clientSecret: must not have fewer than 32 characters',
        '/tenants/0/serviceAccounts/0/clientId: is given twice',
        '/tenants/0/applications/0/clientSecret: must not have fewer than 32 characters',
        '/tenants/0/applications/0/clientId: is given twice',
        '/tenants/1/loginDomains/0: must be a domain name',
        '/tenants/2/loginDomains/0: the login domain is given twice',
        '/tenants/2/id: the tenant is given twice',
      ],
    ],
    ['invalid YAML', 'superAdmins: [{username: root, password: "s3cret]\n  - x: [', ['line 2: missing char']],
    [
      'a duplicate key',
      'superAdmins: [{username: root, username: admin, password: s3cret}]',
      ['line 1: duplicate key'],
    ],
    ['a text instead of an object', 's3cret', ['/: must be object']],
    [
      'invalid UTF-8',
      Buffer.from('superAdmins: [{username: r\xf6\xf6t, password: s3cret}]', 'latin1'),
      [/cannot be read .*UTF-8/],
    ],
    ['too many aliases', aliasBomb(), ['it has too many aliases, or an alias without an anchor']],
  ];

  it.each(FAULTS)('is rejected with all its problems and without its secrets: %s', async (_name, file, problems) => {
    const path = join(temporaryFolder('bootstrap-'), 'bootstrap.yaml');
    writeFileSync(path, file);
    const { message } = await readBootstrapPlan(path).then(
      () => new Error('accepted'),
      (error: Error) => error,
    );
    expect(message).toContain(`app.bootstrap.file ${path} cannot be `);
    for (const problem of problems) {
      if (typeof problem === 'string') expect(message).toContain(problem);
      else expect(message).toMatch(problem);
    }
    for (const secret of SECRETS) expect(message).not.toContain(secret);
  });
});

function aliasBomb(): string {
  const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(4).fill(`*a${i}`).join(', ')}]`);
  return ['a0: &a0 [s3cret]', ...levels].join('\n');
}
