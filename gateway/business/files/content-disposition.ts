// Content-Disposition (RFC 6266).
const NOT_PLAIN = /[^\w .,()+@=~-]/g;
/** Characters that encodeURIComponent does not encode, but RFC 8187 section 3.2.1 requires to be encoded. */
const NOT_ENCODED = /['()*]/g;

/** Builds the header value: the kind, an ASCII file name for old clients, and `filename*` if the name needs more characters. */
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
