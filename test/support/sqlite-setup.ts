import type { TestProject } from 'vitest/node';

/** These tests use the embedded database alone: no server of databases is started. */
export default function setup({ provide }: TestProject): void {
  provide('engines', ['sqlite']);
}
