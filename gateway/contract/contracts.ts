// The contract of each RPC: its messages, their rules, who may call it, and the texts that describe it.
import { readFileSync } from 'node:fs';
import type { DescMethod, Descriptors } from '../../src/rpc/contract/descriptors.ts';
import { OWN_DESCRIPTORS, readDescriptors } from '../../src/rpc/contract/descriptors.ts';

export interface Contracts extends Descriptors {
  /** The method of an RPC such as `authservice.session.v1.SessionService/Login`. */
  methodOf(rpc: string): DescMethod;
  /** The comment of a proto's element, by its full name; empty if it has none. */
  commentOf(name: string): string;
}

const COMMENTS = new URL('../../proto/gen/comments.json', import.meta.url);

let read: Contracts | undefined;

/** The contracts of this project's protos; read once, when a route first needs them. */
export function contracts(): Contracts {
  return (read ??= readOwn());
}

function readOwn(): Contracts {
  const descriptors = readDescriptors(OWN_DESCRIPTORS);
  const comments = JSON.parse(readFileSync(COMMENTS, 'utf8')) as Readonly<Record<string, string>>;
  const methods = new Map(descriptors.methods.map((method) => [`${method.parent.typeName}/${method.name}`, method]));
  return {
    ...descriptors,
    commentOf: (name) => comments[name] ?? '',
    methodOf(rpc) {
      const method = methods.get(rpc);
      if (method === undefined) throw new Error(`No descriptor of ${rpc}`);
      return method;
    },
  };
}
