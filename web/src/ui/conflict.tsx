// What somebody else changed while a form was open.
import { commonTexts } from '../texts/common.ts';
import { Alert } from './alert.tsx';
import { Name } from './name.tsx';
import { Table } from './table.tsx';

/** A field whose value in the form differs from the one that was saved meanwhile. */
export interface Difference {
  readonly label: string;
  readonly mine: string;
  readonly saved: string;
}

interface ConflictProps {
  readonly differences: readonly Difference[];
  /** Drops the values of the form. */
  readonly onDiscard: () => void;
}

/** Shows both values. A further submit of the form saves its values over the others. */
export function Conflict({ differences, onDiscard }: ConflictProps) {
  const texts = commonTexts();
  return (
    <Alert kind="warning">
      <h3>{texts.changedMeanwhile}</h3>
      {differences.length > 0 && (
        <Table
          caption={texts.changedMeanwhile}
          items={differences}
          keyOf={({ label }) => label}
          columns={[
            { title: texts.field, cell: ({ label }) => label },
            { title: texts.yourValue, cell: ({ mine }) => <Name>{mine || undefined}</Name> },
            { title: texts.savedValue, cell: ({ saved }) => <Name>{saved || undefined}</Name> },
          ]}
        />
      )}
      <p>{texts.saveAgain}</p>
      <button type="button" onClick={onDiscard}>
        {texts.discardMine}
      </button>
    </Alert>
  );
}
