// The contract of each RPC: its messages, their field rules, and its access rule.
import type { DescMethod, Descriptors } from '../../src/platform/rpc/contract/descriptors.ts';
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';
import { responseProblems } from '../../src/platform/rpc/contract/field-rules.ts';

export interface Contracts extends Descriptors {
  /**
   * Returns the method of an RPC such as `authservice.session.v1.SessionService/Login`. Throws if the RPC is unknown, or if the
   * field rules of its response are invalid.
   */
  methodOf(rpc: string): DescMethod;
}

let cached: Contracts | undefined;

/** Returns the contracts of this project's protos. Loads them on the first call. */
export function contracts(): Contracts {
  return (cached ??= readProjectContracts());
}

function readProjectContracts(): Contracts {
  const descriptors = ownDescriptors();
  const methods = new Map(descriptors.methods.map((method) => [`${method.parent.typeName}/${method.name}`, method]));
  return {
    ...descriptors,
    methodOf(rpc) {
      const method = methods.get(rpc);
      if (method === undefined) throw new Error(`Missing descriptor of ${rpc}`);
      const problems = responseProblems(method.output, descriptors);
      if (problems.length > 0) throw new Error(`Invalid field rules: ${problems.join(', ')}`);
      return method;
    },
  };
}
