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

function membersOf({ components }: Document, { content }: { readonly content?: object }): string[] {
  const [media] = Object.values(
    (content ?? {}) as Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>,
  );
  const name = media?.schema?.$ref?.split('/').at(-1) ?? '';
  return Object.keys(components.schemas[name]?.properties ?? {});
}

function linksFrom(path: string, members: readonly string[], targets: readonly Target[]): Record<string, Link> {
  const links = targets.flatMap(({ operationId, path: targetPath, parameters }): [string, Link][] => {
    const isBelow = targetPath.startsWith(`${path}/{`);
    const given = isBelow ? parametersOf(path) : [];
    const [first, ...others] = parameters.filter((name) => !given.includes(name));
    // Below its own path a record has an id; elsewhere only other names say what they are.
    const source = first !== undefined && members.includes(first) && (isBelow || first !== 'id') ? first : 'id';
    const isKnown = first !== undefined && (isBelow || source !== 'id') && members.includes(source);
    if (!isKnown || !others.every((name) => members.includes(name))) return [];
    const expressions = {
      ...Object.fromEntries(given.map((name) => [name, `$request.path.${name}`])),
      [first]: `$response.body#/${source}`,
      ...Object.fromEntries(others.map((name) => [name, `$response.body#/${name}`])),
    };
    return [[operationId, { operationId, parameters: expressions }]];
  });
  return Object.fromEntries(links);
}
