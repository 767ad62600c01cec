// Draws docs/images/dashboard.png: the panels of the dashboard with data that Prometheus scraped: `npx node
// test/operations/draw-dashboard.ts`. Grafana itself is not run. The expressions, units and positions are those of
// deploy/grafana/authservice.json.
import { join } from 'node:path';
import { launchBrowser } from '../../client/test/support/chromium.ts';
import { endProcesses, PROJECT } from '../support/service-process.ts';
import { readPanels, withoutVariables, type Panel } from './dashboard.ts';
import { sendTraffic, startMonitored } from './monitored-service.ts';
import { startPrometheus, type Prometheus } from './prometheus.ts';

const SECONDS = 75;
const COLUMN = 60;
const ROW = 28;
const COLORS = ['#73bf69', '#f2cc0c', '#8ab8ff', '#ff780a', '#f2495c', '#b877d9', '#70dbed', '#ffa6b0'];

interface Line {
  readonly legend: string;
  readonly points: readonly (readonly [time: number, value: number])[];
}

async function readLines(prometheus: Prometheus, { targets }: Panel): Promise<Line[]> {
  const lines = targets.map(async ({ expr, legendFormat }) => {
    const series = await prometheus.queryRange(withoutVariables(expr), SECONDS);
    return series.map(({ metric, values = [] }) => ({
      legend: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? ''),
      points: values.map(([time, text]) => [time, Number(text)] as const).filter(([, value]) => Number.isFinite(value)),
    }));
  });
  return (await Promise.all(lines)).flat();
}

const FORMATS: Readonly<Record<string, (value: number) => string>> = {
  s: (value) =>
    value >= 86_400
      ? `${(value / 86_400).toFixed(0)} d`
      : value >= 1
        ? `${value.toFixed(0)} s`
        : `${(value * 1000).toFixed(0)} ms`,
  bytes: (value) => `${(value / 1048576).toFixed(0)} MiB`,
  percentunit: (value) => `${(value * 100).toFixed(0)} %`,
  reqps: (value) => `${value.toFixed(1)}/s`,
  cps: (value) => `${value.toFixed(1)}/s`,
  short: (value) => value.toFixed(0),
};

function draw({ title, type, gridPos, fieldConfig }: Panel, lines: readonly Line[], end: number): string {
  const [x, y, width, height] = [gridPos.x * COLUMN, gridPos.y * ROW, gridPos.w * COLUMN - 8, gridPos.h * ROW - 8];
  const place = `transform="translate(${x + 4} ${y + 4})"`;
  if (type === 'row') return `<text ${place} dy="18" class="row">${title}</text>`;
  const unit = FORMATS[fieldConfig.defaults.unit] ?? String;
  const [left, top, right, bottom] = [56, 30, width - 10, height - 46];
  const most = Math.max(...lines.flatMap(({ points }) => points.map(([, value]) => value)), 0) * 1.1 || 1;
  const toX = (time: number) => right - ((end - time) / SECONDS) * (right - left);
  const toY = (value: number) => bottom - (value / most) * (bottom - top);
  const grid = [0, 0.5, 1].map((share) => {
    const at = toY(most * share);
    return `<path d="M${left} ${at}H${right}" class="grid"/><text x="${left - 6}" y="${at + 4}" class="axis">${unit(most * share)}</text>`;
  });
  const paths = lines.map(({ points }, index) => {
    const path = points.map(([time, value]) => `${toX(time).toFixed(1)} ${toY(value).toFixed(1)}`).join('L');
    return path && `<path d="M${path}" fill="none" stroke="${COLORS[index % COLORS.length]}" stroke-width="1.5"/>`;
  });
  const legend = lines
    .slice(0, 8)
    .map(({ legend: text }, index) => `<tspan fill="${COLORS[index % COLORS.length]}">■</tspan> ${escape(text)} `)
    .join('&#160; ');
  const caption = `<foreignObject x="8" y="${height - 40}" width="${width - 16}" height="38"><div xmlns="http://www.w3.org/1999/xhtml" class="legend">${legend
    .replaceAll('<tspan fill', '<span style')
    .replaceAll(/style="(#\w+)"/g, 'style="color:$1"')
    .replaceAll('tspan', 'span')}</div></foreignObject>`;
  return `<g ${place}><rect width="${width}" height="${height}" class="panel"/><text x="10" y="20">${title}</text>${grid.join('')}${paths.join('')}${caption}</g>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const STYLE = `
  body { margin: 0; background: #111217 }
  text { font: 500 13px sans-serif; fill: #d8d9da } .row { font-size: 15px; font-weight: 700 }
  .panel { fill: #181b1f; stroke: #2c3235 } .grid { stroke: #2c3235 }
  .axis { font-size: 11px; text-anchor: end; fill: #9fa7b3 }
  .legend { font: 11px/1.25 sans-serif; color: #c7d0d9; max-height: 38px; overflow: hidden }`;

async function main(): Promise<void> {
  const service = await startMonitored();
  const { core, gateway } = service.management;
  const prometheus = await startPrometheus({ core: [core], gateway: [gateway] });
  try {
    const until = Date.now() + (SECONDS + 5) * 1000;
    while (Date.now() < until) await sendTraffic(service.http);
    const panels = readPanels();
    const end = Date.now() / 1000;
    const drawn = await Promise.all(
      panels.map(async (panel) => draw(panel, panel.type === 'row' ? [] : await readLines(prometheus, panel), end)),
    );
    const width = 24 * COLUMN;
    const height = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h)) * ROW;
    const browser = await launchBrowser();
    const page = await browser.newPage({ viewport: { width, height } });
    await page.setContent(`<style>${STYLE}</style><svg width="${width}" height="${height}">${drawn.join('')}</svg>`);
    await page.screenshot({ path: join(PROJECT, 'docs/images/dashboard.png') });
    await browser.close();
  } finally {
    await prometheus.stop();
    await endProcesses();
  }
}

await main();
