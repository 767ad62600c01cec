// The tags of the OpenAPI document.
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { SHOP } from '../../gateway/business/module.ts';
import type { GatewayModule } from '../../gateway/module.ts';
import { describeRoutes } from '../../gateway/openapi/document.ts';
import { SETTINGS } from '../gateway/gateway.ts';

const SHOP_RPC = 'authservice.business.v1.ProductService/GetProduct';

async function tagsOf(modules: readonly GatewayModule[], routes: readonly (readonly [tag: string, rpc: string])[]) {
  const app = Fastify();
  await describeRoutes(app, SETTINGS, modules);
  for (const [index, [tag, rpc]] of routes.entries())
    app.get(`/${index}`, { schema: { tags: [tag] }, config: { rpc, checksCredential: false } }, () => '');
  await app.ready();
  const { tags } = app.swagger() as { tags?: { name: string; description?: string }[] };
  await app.close();
  return tags!;
}

it('are those of the operations: first of the service, then of the modules', async () => {
  const routes = ['Keys', 'Products', 'Users'].map((tag) => [tag, SHOP_RPC] as const);
  const tags = await tagsOf([SHOP], routes);
  expect(tags.map(({ name }) => name)).toEqual(['Users', 'Products', 'Keys']);
  expect(tags[1]!.description).toBe('Products of the tenant, with their stock and images.');
});
