// Links from an operation that creates a record to those that take its id.
import type { Document } from './components.ts';

interface Link {
  readonly operationId: string;
  /** Runtime expressions of OpenAPI, by the path parameters of the operation. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface Target {
  readonly operationId: string;
  readonly path: string;
  readonly parameters: readonly string[];
}

/** Adds links to every 201 response: from its members and from the path of its request. */
export function withLinks(document: Document): Document {
  const targets = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.values(operations).map(({ operationId }) => ({ operationId, path, parameters: parametersOf(path) })),
  );
  const paths = Object.entries(document.paths).map(([path, operations]) => {
    const linked = Object.entries(operations).map(([method, operation]) => {
      const created = operation.responses['201'];
      if (created === undefined) return [method, operation];
      const links = linksFrom(path, membersOf(document, created), targets);
      if (Object.keys(links).length === 0) return [method, operation];
      return [method, { ...operation, responses: { ...operation.responses, 201: { ...created, links } } }];
    });
    return [path, Object.fromEntries(linked)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

/** The members of a response by their pointers: `id` of its first object, if it has none of its own, is `serviceAccount/id`. */
function membersOf(document: Document, { content }: { readonly content?: object }): ReadonlyMap<string, string> {
  const [media] = Object.values((content ?? {}) as Readonly<Record<string, { readonly schema?: Reference }>>);
  const members = propertiesOf(document, media?.schema);
  const holder = Object.keys(members).find((name) => Object.hasOwn(propertiesOf(document, members[name]), 'id'));
  const own = Object.keys(members).map((name) => [name, name] as const);
  return new Map([...(holder === undefined ? [] : [['id', `${holder}/id`] as const]), ...own]);
}

interface Reference {
  readonly $ref?: string;
}

function propertiesOf({ components }: Document, schema: Reference | undefined): Readonly<Record<string, Reference>> {
  return (
    (components.schemas[schema?.$ref?.split('/').at(-1) ?? '']?.properties as Readonly<Record<string, Reference>>) ?? {}
  );
}

function linksFrom(
  path: string,
  members: ReadonlyMap<string, string>,
  targets: readonly Target[],
): Record<string, Link> {
  const links = targets.flatMap(({ operationId, path: targetPath, parameters }): [string, Link][] => {
    const isBelow = targetPath.startsWith(`${path}/{`);
    const given = isBelow ? parametersOf(path) : [];
    const [first, ...others] = parameters.filter((name) => !given.includes(name));
    // Below its own path a record has an id; elsewhere only other names say what they are. Every record names its tenant.
    const isNamed = first !== undefined && members.has(first) && (isBelow || (first !== 'id' && first !== 'tenantId'));
    const source = isNamed ? first : 'id';
    const isKnown = first !== undefined && (isBelow || source !== 'id') && members.has(source);
    if (!isKnown || !others.every((name) => members.has(name))) return [];
    const expressions = {
      ...Object.fromEntries(given.map((name) => [name, `$request.path.${name}`])),
      [first]: `$response.body#/${members.get(source)}`,
      ...Object.fromEntries(others.map((name) => [name, `$response.body#/${members.get(name)}`])),
    };
    return [[operationId, { operationId, parameters: expressions }]];
  });
  return Object.fromEntries(links);
}
