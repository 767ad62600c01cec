// A bar per period, drawn by hand, and the same as a table.
import type { StatisticsPeriod } from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { overviewTexts } from './texts.ts';

const SERIES = ['logins', 'failures', 'locks'] as const;
const STEP = 10;
const BAR = 7;
const HEIGHT = 100;

interface ChartProps {
  /** The oldest first. */
  readonly periods: readonly StatisticsPeriod[];
  /** Returns the text of a start. */
  readonly format: (start: string) => string;
}

export function Chart({ periods, format }: ChartProps) {
  const texts = overviewTexts();
  const most = Math.max(0, ...periods.map(totalOf));
  // Even, so that its half is a number of logins.
  const top = most + (most % 2);
  const ends = [periods[0], periods[Math.floor(periods.length / 2)], periods.at(-1)];
  return (
    <section>
      <h2>{texts.byOutcome}</h2>
      <figure class="chart">
        <ul class="legend" aria-hidden="true">
          {SERIES.map((name) => (
            <li key={name} class={name}>
              {texts[name]}
            </li>
          ))}
          <li class="most">{texts.most(formatNumber(most))}</li>
        </ul>
        <div class="plot">
          <p class="scale" aria-hidden="true">
            <span>{formatNumber(top)}</span>
            {top > 0 && <span>{formatNumber(top / 2)}</span>}
            <span>0</span>
          </p>
          <svg viewBox={`0 0 ${periods.length * STEP} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {periods.map((period, index) => (
              <Bar key={period.start} period={period} x={index * STEP} unit={HEIGHT / Math.max(1, top)} />
            ))}
          </svg>
        </div>
        <p class="axis" aria-hidden="true">
          {ends.map((period, index) => (
            <span key={index}>{period && format(period.start)}</span>
          ))}
        </p>
        <details>
          <summary>{texts.asTable}</summary>
          <PeriodTable periods={periods} format={format} />
        </details>
      </figure>
    </section>
  );
}

const totalOf = (period: StatisticsPeriod): number => SERIES.reduce((sum, name) => sum + period[name], 0);

interface BarProps {
  readonly period: StatisticsPeriod;
  readonly x: number;
  /** Height of one event. */
  readonly unit: number;
}

/** The outcomes of a period on each other, logins at the bottom. */
function Bar({ period, x, unit }: BarProps) {
  const texts = overviewTexts();
  let top = HEIGHT;
  return (
    <g>
      <title>{SERIES.map((name) => `${texts[name]}: ${formatNumber(period[name])}`).join(', ')}</title>
      <rect class="ground" x={x} y={0} width={STEP} height={HEIGHT} />
      {SERIES.map((name) => {
        const height = period[name] * unit;
        top -= height;
        return height > 0 && <rect key={name} class={name} x={x} y={top} width={BAR} height={height} />;
      })}
    </g>
  );
}

function PeriodTable({ periods, format }: ChartProps) {
  const texts = overviewTexts();
  return (
    <div class="scroll" role="region" aria-label={texts.byOutcome} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.start}</th>
            {SERIES.map((name) => (
              <th key={name} scope="col" class="number">
                {texts[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {periods.toReversed().map((period) => (
            <tr key={period.start}>
              <th scope="row">
                <time dateTime={period.start}>{format(period.start)}</time>
              </th>
              {SERIES.map((name) => (
                <td key={name} class="number" data-title={texts[name]}>
                  {formatNumber(period[name])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
