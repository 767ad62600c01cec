import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Test files that mostly wait: for deadlines, frozen servers and tabs, starting processes.
const WAITING = /\/test\/(faults|process)\/|(faults|processes|hammering|stuck-tabs)\.test\.ts$/;
const OTHERS_BETWEEN = 2;

/**
 * Runs large files first, in the same order in each run. Spreads the files that wait among those that compute, from the beginning: so
 * that they neither wait beside each other nor alone at the end.
 */
export default class WaitingInBetween extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = files
      .map((file) => ({ file, size: statSync(file.moduleId).size }))
      .toSorted((a, b) => b.size - a.size || (a.file.moduleId < b.file.moduleId ? -1 : 1))
      .map(({ file }) => file);
    const waiting = sorted.filter(({ moduleId }) => WAITING.test(moduleId));
    const others = sorted.filter(({ moduleId }) => !WAITING.test(moduleId));
    const spread = waiting.flatMap((file) => [file, ...others.splice(0, OTHERS_BETWEEN)]);
    return [...spread, ...others];
  }
}
