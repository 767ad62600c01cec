// The contract of each RPC: its messages, their rules, and who may call it.
import type { DescMethod, Descriptors } from '../../src/rpc/contract/descriptors.ts';
import { ownDescriptors } from '../../src/rpc/contract/descriptors.ts';
import { responseProblems } from '../../src/rpc/contract/field-rules.ts';

export interface Contracts extends Descriptors {
  /** The method of an RPC such as `authservice.session.v1.SessionService/Login`. Throws if rules of its response do not fit. */
  methodOf(rpc: string): DescMethod;
}

let read: Contracts | undefined;

/** The contracts of this project's protos; read once, when a route first needs them. */
export function contracts(): Contracts {
  return (read ??= readOwn());
}

function readOwn(): Contracts {
  const descriptors = ownDescriptors();
  const methods = new Map(descriptors.methods.map((method) => [`${method.parent.typeName}/${method.name}`, method]));
  return {
    ...descriptors,
    methodOf(rpc) {
      const method = methods.get(rpc);
      if (method === undefined) throw new Error(`No descriptor of ${rpc}`);
      const problems = responseProblems(method.output, descriptors);
      if (problems.length > 0) throw new Error(`No usable rules for ${problems.join(', ')}`);
      return method;
    },
  };
}
