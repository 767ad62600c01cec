import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Test files that mostly wait: for deadlines, frozen servers and tabs, starting processes.
const WAITING = /\/test\/(faults|process)\/|(faults|processes|hammering|stuck-tabs)\.test\.ts$/;
const OTHERS_BETWEEN = 2;

/**
 * Spreads the files that wait among those that compute, from the beginning: so that they neither wait beside each other nor
 * alone at the end.
 */
export default class WaitingInBetween extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's method
    const sorted = await super.sort(files);
    const waiting = sorted.filter(({ moduleId }) => WAITING.test(moduleId));
    const others = sorted.filter(({ moduleId }) => !WAITING.test(moduleId));
    const spread = waiting.flatMap((file) => [file, ...others.splice(0, OTHERS_BETWEEN)]);
    return [...spread, ...others];
  }
}
