/** Suffixes of the second route, if two routes call the same RPC. */
const SUFFIXES: readonly (readonly [method: string, url: RegExp, suffix: string])[] = [
  ['PUT', /\/(?:products|orders)\/:id$/, 'Whole'],
  ['GET', /\/delivery-photos\//, 'OfDelivery'],
  ['GET', /\/openid-configuration$/, 'OfOpenid'],
];

/** Returns the operationId: the RPC's name in lowerCamelCase, such as `listOrderStatusHistory`, and a suffix if needed. */
export function operationIdOf(rpc: string, method: string, url: string): string {
  const name = rpc.slice(rpc.indexOf('/') + 1);
  const [, , suffix = ''] = SUFFIXES.find(([verb, pattern]) => verb === method && pattern.test(url)) ?? [];
  return name.charAt(0).toLowerCase() + name.slice(1) + suffix;
}
