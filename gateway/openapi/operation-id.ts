/** Two routes lead to one RPC: the second says what differs. */
const SUFFIXES: readonly (readonly [method: string, url: RegExp, suffix: string])[] = [
  ['PUT', /\/(?:products|orders)\/:id$/, 'Whole'],
  ['GET', /\/delivery-photos\//, 'OfDelivery'],
  ['GET', /\/openid-configuration$/, 'OfOpenid'],
];

/** The name of an operation for generated clients: its RPC's in lowerCamelCase, `listOrderStatusHistory`. */
export function operationIdOf(rpc: string, method: string, url: string): string {
  const name = rpc.slice(rpc.indexOf('/') + 1);
  const [, , suffix = ''] = SUFFIXES.find(([verb, pattern]) => verb === method && pattern.test(url)) ?? [];
  return name.charAt(0).toLowerCase() + name.slice(1) + suffix;
}
