// The contract of the protos, for the tests of the derived gateway.
import type { FastifyRequest } from 'fastify';
import { contracts } from '../../gateway/contract/contracts.ts';
import { compileRequest } from '../../gateway/contract/request-message.ts';
import { requestShape } from '../../gateway/contract/request-shape.ts';

export const CUSTOMERS = 'authservice.business.v1.CustomerService';
export const PRODUCTS = 'authservice.business.v1.ProductService';
export const ORDERS = 'authservice.business.v1.OrderService';

export const methodOf = (rpc: string) => contracts().methodOf(rpc);
export const shapeOf = (rpc: string) => requestShape(methodOf(rpc));
export const namesOf = (members: readonly { readonly name: string }[]) => members.map(({ name }) => name);

/** A checked request, as far as a translation looks at it. */
export const request = (parts: object) => ({ headers: {}, params: {}, query: {}, ...parts }) as FastifyRequest;

export function translation(rpc: string, { replaces = false, leaves = [] as string[] } = {}) {
  const shape = shapeOf(rpc);
  const settable = shape.fields?.members.filter(({ name }) => !leaves.includes(name)) ?? [];
  return compileRequest(methodOf(rpc).input, shape, { settable, replaces, creates: false, strict: false });
}
