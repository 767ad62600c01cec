// The lines of an exported file, in one of its formats.
import type { ExportedRecord } from '../trail/audit-list-store.ts';

/** The lines of a format. */
export interface FileWriter {
  begin(): string | Promise<string>;
  /** Returns the line of a record. */
  lineOf(record: ExportedRecord): string;
  /** Called before the lines of a page. */
  prepare?(records: readonly ExportedRecord[]): Promise<void>;
  end(result: ExportResult): AsyncIterable<string>;
}

export interface ExportResult {
  readonly records: number;
  readonly isTruncated: boolean;
}
