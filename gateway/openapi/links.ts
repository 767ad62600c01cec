// OpenAPI links from operations that create a record to operations that take its id.
import { type Document, mapOperations } from './components.ts';

interface Target {
  readonly operationId: string;
  readonly path: string;
  readonly parameters: readonly string[];
}

/** Adds links to all 201 responses. Their parameters come from the response body and from the request's path. */
export function withLinks(document: Document): Document {
  const targets = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.values(operations).map(({ operationId }) => ({ operationId, path, parameters: parametersOf(path) })),
  );
  return mapOperations(document, (operation, path) => {
    const created = operation.responses['201'];
    if (created === undefined) return operation;
    const links = linksFrom(path, membersOf(document, created), targets);
    if (Object.keys(links).length === 0) return operation;
    return { ...operation, responses: { ...operation.responses, 201: { ...created, links } } };
  });
}

function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}

/**
 * Returns JSON pointers of the response members by name. If only an inner object has an `id`, its pointer is `serviceAccount/id`.
 */
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

/** The parameters of a link are runtime expressions of OpenAPI, by the path parameters of the target. */
function linksFrom(path: string, members: ReadonlyMap<string, string>, targets: readonly Target[]) {
  const links = targets.flatMap(({ operationId, path: targetPath, parameters }) => {
    const isBelow = targetPath.startsWith(`${path}/{`);
    const given = isBelow ? parametersOf(path) : [];
    const [first, ...others] = parameters.filter((name) => !given.includes(name));
    // Below the record's path, the parameter is the record's id. Elsewhere `id` is ambiguous, and every record has a `tenantId`.
    const isNamed = first !== undefined && members.has(first) && (isBelow || (first !== 'id' && first !== 'tenantId'));
    const source = isNamed ? first : 'id';
    const isKnown = first !== undefined && (isBelow || source !== 'id') && members.has(source);
    if (!isKnown || !others.every((name) => members.has(name))) return [];
    const expressions = [
      ...given.map((name) => [name, `$request.path.${name}`]),
      [first, `$response.body#/${members.get(source)}`],
      ...others.map((name) => [name, `$response.body#/${members.get(name)}`]),
    ];
    return [[operationId, { operationId, parameters: Object.fromEntries(expressions) }] as const];
  });
  return Object.fromEntries(links);
}
