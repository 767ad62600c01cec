/** Offers a text as a file. */
export function download(name: string, text: string): void {
  downloadBlob(name, new Blob([text], { type: 'text/plain' }));
}

/** Offers data as a file. */
export function downloadBlob(name: string, data: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
