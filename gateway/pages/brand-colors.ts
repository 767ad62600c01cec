// The colours of the pages for a brand: its hue remains, and its lightness changes until texts in it are readable.

type Rgb = readonly [red: number, green: number, blue: number];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
/** Backgrounds of web/styles/10-tokens.css: the page and its cards, in the order of their lightness. */
const LIGHT: readonly Rgb[] = [[245, 247, 246], WHITE];
const DARK: readonly Rgb[] = [
  [24, 32, 29],
  [16, 22, 20],
];
/** Of texts on buttons of dark pages. */
const INK: Rgb = [12, 21, 18];

/** WCAG 2.2, success criteria 1.4.3 and 1.4.11. A little more, because colours are rounded. */
const MIN_TEXT_CONTRAST = 4.6;
const MIN_SHAPE_CONTRAST = 3.1;
const STEP = 0.02;

const parse = (color: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as unknown as Rgb;
const format = (color: Rgb): string => `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
const mix = (one: Rgb, other: Rgb, share: number): Rgb =>
  one.map((part, index) => Math.round(part + (other[index]! - part) * share)) as unknown as Rgb;

/** Relative luminance of WCAG 2.2. */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Rgb, other: Rgb): number {
  const [lighter, darker] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** Returns the colour, moved to `towards` until it is readable on the backgrounds and on its own tint of the first one. */
function adjust(color: Rgb, towards: Rgb, backgrounds: readonly Rgb[], tint: number): { accent: Rgb; soft: Rgb } {
  for (let share = 0; ; share += STEP) {
    const accent = mix(color, towards, Math.min(share, 1));
    const soft = mix(backgrounds.at(towards === WHITE ? 0 : -1)!, accent, tint);
    const isReadable = [...backgrounds, soft].every((one) => contrast(accent, one) >= MIN_TEXT_CONTRAST);
    if (isReadable || share >= 1) return { accent, soft };
  }
}

const rule = (colors: Readonly<Record<string, Rgb>>): string =>
  `:root{${Object.entries(colors)
    .map(([name, color]) => `--${name}:${format(color)}`)
    .join(';')}}`;

/** Returns a style sheet with the colours of a brand, for light and for dark pages. */
export function brandStyle(color: string): string {
  const brand = parse(color);
  const light = adjust(brand, BLACK, LIGHT, 0.1);
  const dark = adjust(brand, WHITE, DARK, 0.16);
  const onLight = {
    brand,
    'on-brand': contrast(brand, WHITE) >= MIN_SHAPE_CONTRAST ? WHITE : INK,
    accent: light.accent,
    'accent-strong': mix(light.accent, BLACK, 0.2),
    'accent-soft': light.soft,
    'on-accent': WHITE,
  };
  const onDark = {
    accent: dark.accent,
    'accent-strong': mix(dark.accent, WHITE, 0.25),
    'accent-soft': dark.soft,
    'on-accent': INK,
  };
  return `${rule(onLight)}@media screen and (prefers-color-scheme:dark){${rule(onDark)}}\n`;
}
