// The comments of the protos by the full names of the described elements, for the OpenAPI document. The descriptors that the
// service reads contain no comments.
import { spawnSync } from 'node:child_process';

/** A descriptor in the JSON form of google.protobuf.FileDescriptorSet. */
interface Descriptor {
  readonly name: string;
  readonly [member: string]: unknown;
}
interface File extends Descriptor {
  readonly package: string;
  readonly sourceCodeInfo: {
    readonly location: readonly { readonly path?: readonly number[]; readonly leadingComments?: string }[];
  };
}

/** Members of a descriptor that contain descriptors: name, field number in descriptor.proto, separator in full names. */
const MEMBERS: readonly (readonly [member: string, number: number, separator: string])[] = [
  ['method', 2, '/'],
  ['field', 2, '.'],
  ['value', 2, '.'],
  ['nestedType', 3, '.'],
];
const TOP_LEVEL: typeof MEMBERS = [
  ['messageType', 4, '.'],
  ['enumType', 5, '.'],
  ['service', 6, '.'],
];

/** Returns all comments, each as one line, sorted by name such as `authservice.session.v1.SessionService/Login`. */
export function protoComments(): Record<string, string> {
  const { stdout, status, error } = spawnSync('buf', ['build', 'proto', '-o', '-#format=json'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error) throw error;
  if (status !== 0) throw new Error('buf build failed');
  const { file: files } = JSON.parse(stdout) as { readonly file: readonly File[] };
  return Object.fromEntries(files.flatMap(commentsOf).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function commentsOf(file: File): [name: string, comment: string][] {
  const comments = new Map(
    file.sourceCodeInfo.location.map(({ path = [], leadingComments = '' }) => [path.join(), oneLine(leadingComments)]),
  );
  const collect = (parent: Descriptor, prefix: string, path: readonly number[], members: typeof MEMBERS) => {
    for (const [member, number, separator] of members) {
      for (const [index, child] of ((parent[member] ?? []) as readonly Descriptor[]).entries()) {
        const name = `${prefix}${separator}${child.name}`;
        const place = [...path, number, index];
        const comment = comments.get(place.join());
        if (comment) found.push([name, comment]);
        collect(child, name, place, MEMBERS);
      }
    }
  };
  const found: [string, string][] = [];
  collect(file, file.package, [], TOP_LEVEL);
  return found;
}

function oneLine(comment: string): string {
  return comment.trim().replaceAll(/\s*\n\s*/g, ' ');
}
