// The records of the filter as a file.
import { exportAuditRecords } from '../../../../client/src/operations.ts';
import { downloadBlob } from '../../download.ts';
import { ActButton } from '../act-button.tsx';
import { ChoiceField } from '../../ui/choice-field.tsx';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { auditTexts } from './texts.ts';

const FORMATS = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
} as const;

type Filters = NonNullable<NonNullable<Parameters<typeof exportAuditRecords>[1]>['query']>;

interface ExportProps {
  readonly label: string;
  readonly filters: Filters;
  /** The filters in words. */
  readonly description: readonly (readonly [label: string, value: string])[];
}

export function Export({ label, filters, description }: ExportProps) {
  const { session } = useService();
  const { tenantId } = useConsole();
  const texts = auditTexts();
  return (
    <ActButton
      label={label}
      question={{
        title: texts.exportTitle,
        text: (
          <>
            <p>{texts.exportText}</p>
            <p>
              {description.length === 0
                ? texts.allRecords
                : description.map(([label, value]) => `${label}: ${value}`).join(', ')}
            </p>
          </>
        ),
        action: texts.exportAct,
        fields: (
          <ChoiceField
            name="format"
            label={texts.format}
            hint={texts.formatHint}
            value="csv"
            options={[
              ['csv', texts.csv],
              ['ndjson', texts.ndjson],
            ]}
          />
        ),
      }}
      changes={[]}
      run={async ({ format = 'csv' }) => {
        const accept = FORMATS[format as keyof typeof FORMATS];
        const { data } = await exportAuditRecords(session, { query: filters }, { headers: { accept } });
        const day = new Date().toISOString().slice(0, 10);
        downloadBlob(`audit-${tenantId ?? 'all'}-${day}.${format}`, data);
        return texts.exported;
      }}
    />
  );
}
