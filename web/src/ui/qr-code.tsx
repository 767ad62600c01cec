import { encode } from 'uqr';

/** Modules around the code: scanners need four. */
const BORDER = 4;

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

/** A QR code, drawn as one path. It is dark on white in all colour schemes, because many scanners read no other. */
export function QrCode({ text, label }: QrCodeProps) {
  const { data, size } = encode(text, { ecc: 'M', border: BORDER });
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={modules.join('')} fill="#000" />
    </svg>
  );
}
