// Content-Disposition (RFC 6266).
const NOT_PLAIN = /[^\w .,()+@=~-]/g;
/** What encodeURIComponent leaves and RFC 8187 section 3.2.1 does not. */
const NOT_ENCODED = /['()*]/g;

/** How a browser is to treat a file, and what to call it: for readers of today, and of old. */
export function contentDisposition(kind: 'inline' | 'attachment', fileName: string): string {
  const wellFormed = fileName.toWellFormed();
  const plain = wellFormed.replace(NOT_PLAIN, '_');
  const encoded = encodeURIComponent(wellFormed).replace(
    NOT_ENCODED,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const extended = plain === wellFormed ? '' : `; filename*=UTF-8''${encoded}`;
  return `${kind}; filename="${plain}"${extended}`;
}
