// The lists of codes for clients.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES } from '../../../src/auth/access/roles/built-in-roles.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { API, caller, callerWith, type Caller } from '../../support/callers.ts';

const STATUSES = '/reference-data/order-statuses';
const METHODS = '/reference-data/payment-methods';

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let by: Caller;

  beforeAll(async () => {
    deployment = await deploy(kind);
    by = await caller(deployment, { roles: ['FLORIST'] });
  });
  afterAll(() => deployment?.close());

  it('returns the order statuses with their allowed transitions', async () => {
    const { status, body, headers } = await by.get(STATUSES);
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    const row = (code: string, label: string, ...next: string[]) => ({
      code,
      label,
      terminal: next.length === 0,
      next,
    });
    expect(body).toEqual([
      row('NEW', 'New', 'CONFIRMED', 'CANCELLED'),
      row('CONFIRMED', 'Confirmed', 'IN_PRODUCTION', 'CANCELLED'),
      row('IN_PRODUCTION', 'In production', 'READY', 'CANCELLED'),
      row('READY', 'Ready', 'OUT_FOR_DELIVERY', 'COMPLETED', 'CANCELLED'),
      row('OUT_FOR_DELIVERY', 'Out for delivery', 'DELIVERED'),
      row('DELIVERED', 'Delivered', 'COMPLETED'),
      row('COMPLETED', 'Completed'),
      row('CANCELLED', 'Cancelled'),
    ]);
  });

  it('returns the payment methods', async () => {
    const { status, body, headers } = await by.get(METHODS);
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    expect(body).toEqual([
      { code: 'CASH', label: 'Cash' },
      { code: 'CARD', label: 'Card' },
      { code: 'BANK_TRANSFER', label: 'Bank transfer' },
      { code: 'INVOICE', label: 'Invoice' },
      { code: 'ONLINE', label: 'Online payment' },
    ]);
  });

  describe.each([
    [STATUSES, 8, 'COMPLETED'],
    [METHODS, 5, 'ONLINE'],
  ])('%s', (path, total, last) => {
    it('has pages', async () => {
      const whole = await by.get(path);
      const paging = ({ headers }: typeof whole) =>
        ['x-total-count', 'x-page', 'x-per-page'].map((name) => headers.get(name));
      expect(paging(whole)).toEqual([`${total}`, '1', '20']);
      const perPage = total - 2;
      const page = await by.get(`${path}?perPage=${perPage}&page=2`);
      expect(paging(page)).toEqual([`${total}`, '2', `${perPage}`]);
      expect(page.body).toEqual(whole.body.slice(perPage));
      expect(page.body.map(({ code }: { code: string }) => code)).toContain(last);
      const link = (number: number, relation: string) =>
        `<${API}${path}?page=${number}&perPage=${perPage}>; rel="${relation}"`;
      expect(page.headers.get('link')).toBe([link(1, 'first'), link(1, 'prev'), link(2, 'last')].join(', '));
      const beyond = await by.get(`${path}?page=9`);
      expect([beyond.status, beyond.body, beyond.headers.get('x-total-count')]).toEqual([200, [], `${total}`]);
    });

    it.each(['?page=0', '?page=x', '?perPage=101', '?page=1&page=2', '?sort=code', '?q=x', '?code=NEW'])(
      'returns 400 for %s',
      async (query) => {
        expect(await by.get(path + query)).toEqual(problem(400, 'validation-error', API + path));
      },
    );
  });

  it.each(ROLES)('%s', async (role) => {
    const isRefused = ['SUPER_ADMIN', 'AUDITOR', 'HELP_DESK'].includes(role);
    const tenant = role === 'SUPER_ADMIN' ? { tenantId: undefined } : {};
    const who = await caller(deployment, { roles: [role], ...tenant });
    for (const path of [STATUSES, METHODS]) {
      const response = await who.get(path);
      expect(response.status).toBe(isRefused ? 403 : 200);
      if (!isRefused) continue;
      expect(response).toEqual(problem(403, 'permission-denied', API + path));
      expect((await who.get(`${path}?page=0`)).status).toBe(403);
    }
  });

  it.each([STATUSES, METHODS])('returns 401 for %s', async (path) => {
    const nobody = callerWith(deployment.url, by.account, {});
    expect(await nobody.get(path)).toEqual(
      problem(401, 'unauthorized', API + path, 'Unauthorized - Missing or invalid token'),
    );
    expect((await nobody.get(`${path}?page=0`)).status).toBe(401);
  });
});
