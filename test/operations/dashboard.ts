import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../support/service-process.ts';

export interface Panel {
  readonly title: string;
  readonly type: string;
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** Returns the rows and panels of the dashboard for Grafana. */
export function readPanels(): readonly Panel[] {
  const text = readFileSync(join(PROJECT, 'deploy/grafana/authservice.json'), 'utf8');
  return (JSON.parse(text) as { panels: Panel[] }).panels;
}

/** Returns an expression as Grafana sends it: with all jobs and instances, and a range of some scrapes. */
export function withoutVariables(expression: string): string {
  return expression.replaceAll('$__rate_interval', '10s').replaceAll(/\$(?:job|instance)/g, '.*');
}
