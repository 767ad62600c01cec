import type { TestProject } from 'vitest/node';
import { installMissingTools } from '../../scripts/test-tools.ts';
import useSqlite from './sqlite-setup.ts';
import { makeSqliteTemplate } from './templates.ts';

/** Installs missing tools, and creates the template of the embedded database: no server of databases is started. */
export default async function setup(project: TestProject): Promise<() => void> {
  installMissingTools();
  useSqlite(project);
  const { sqlite, remove } = await makeSqliteTemplate();
  project.provide('templates', { sqlite, mysql: '' });
  return remove;
}
