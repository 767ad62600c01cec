// No tenant can access records of another: the check calls every route and every RPC.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRpcs } from '../../cli/isolation/rpcs.ts';
import { checkIsolation, type Report } from '../../cli/isolation/check-isolation.ts';
import { partyOf, type Party } from '../../cli/isolation/party.ts';
import { apiRootOf, type OpenApi } from '../../cli/isolation/routes.ts';
import { seedAccount } from '../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../support/deployment.ts';
import { mailFolder } from '../support/mails.ts';
import { seedSession } from '../support/sessions.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let document: OpenApi;
  let report: Report;

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: mailFolder().settings });
    const { url, client: connect } = deployment;
    document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;
    const target = { url, connect, apiRoot: apiRootOf(document), ignoredHeaders: [] };
    const administrator = async (tenantId: string): Promise<Party> => {
      const account = await seedAccount(deployment.database, { tenantId, roles: ['ADMIN'] });
      return partyOf(target, (await seedSession(deployment, account)).accessToken);
    };
    const [own, other] = [await administrator('acme'), await administrator('globex')];
    report = await checkIsolation({ own, other, document, rpcs: projectRpcs() });
  }, 120_000);
  afterAll(() => deployment?.close());

  it('passes every probe on the real service', () => {
    expect(report.missing).toEqual([]);
    expect(report.findings.filter(({ verdict }) => verdict !== 'passed' && verdict !== 'not-applicable')).toEqual([]);
    expect(report.findings.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(250);
  });

  it('calls every route and every RPC', () => {
    const called = new Set(report.findings.map(({ operation }) => operation));
    const served = deployment.core.host.methods.map(({ definition }) => definition.path.slice(1));
    expect(served.filter((path) => !called.has(path))).toEqual([]);
    const routes = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
    expect(report.findings.filter(({ surface }) => surface === 'REST').length).toBeGreaterThan(routes.length);
  });

  it('deletes all created records that can be deleted', () => {
    const kinds = report.left.map((record) => record.replace(/ (?:isolation-)?[\w-]+ \(/, ' ('));
    // As often as records were created: once more for each snapshot during which a job of the service counted its statistics.
    expect([...new Set(kinds)].toSorted()).toEqual([
      'customer (INACTIVE)',
      'order (COMPLETED, total 0)',
      'service account (disabled)',
    ]);
  });
});
