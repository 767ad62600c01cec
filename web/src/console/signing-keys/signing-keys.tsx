// The keys that sign access tokens and ID tokens.
import { useState } from 'preact/hooks';
import { listSigningKeys, rotateSigningKey, type SigningKey } from '../../../../client/src/operations.ts';
import { useList } from '../../list.ts';
import { ChoiceField } from '../../ui/choice-field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { ListView } from '../../ui/list-view.tsx';
import { notify } from '../../ui/notices.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { signingKeyTexts } from './texts.ts';

const STATUS = { PUBLISHED: 'warn', ACTIVE: 'good', RETIRED: 'bad' } as const;

export default function SigningKeys() {
  const { session } = useService();
  const list = useList([], ({ place }, signal) => listSigningKeys(session, { query: place }, { signal }));
  const texts = signingKeyTexts();
  const [isRotating, setRotating] = useState(false);
  const columns: readonly Column<SigningKey>[] = [
    { title: texts.kid, cell: ({ kid }) => <code>{kid}</code> },
    { title: texts.chain, cell: ({ chain }) => texts[chain] },
    { title: texts.state, cell: ({ state }) => <Status kind={STATUS[state]}>{texts[state]}</Status> },
    { title: texts.algorithm, cell: ({ algorithm }) => algorithm },
    { title: texts.created, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
    { title: texts.signsFrom, cell: ({ signsFrom }) => <Time>{signsFrom}</Time> },
    { title: texts.verifiesUntil, cell: ({ verifiesUntil }) => <Time>{verifiesUntil}</Time> },
  ];
  return (
    <ConsoleFrame
      title={texts.title}
      actions={
        <button class="danger" onClick={() => setRotating(true)}>
          {texts.rotate}
        </button>
      }
    >
      <p>{texts.intro}</p>
      <ListView
        list={list}
        caption={texts.title}
        columns={columns}
        keyOf={({ kid }) => kid}
        empty={<p>{texts.empty}</p>}
      />
      {isRotating && (
        <RotateDialog
          hasIdKeys={list.query.data?.items.some(({ chain }) => chain === 'ID') === true}
          onRotate={list.query.reload}
          onClose={() => setRotating(false)}
        />
      )}
    </ConsoleFrame>
  );
}

interface RotateDialogProps {
  /** Whether there are keys of ID tokens, so that there is a choice. */
  readonly hasIdKeys: boolean;
  readonly onRotate: () => void;
  readonly onClose: () => void;
}

function RotateDialog({ hasIdKeys, onRotate, onClose }: RotateDialogProps) {
  const { session } = useService();
  const texts = signingKeyTexts();
  return (
    <FormDialog
      title={texts.rotateTitle}
      action={texts.rotateAct}
      onClose={onClose}
      onSubmit={async ({ chain = '' }) => {
        const body = chain === '' ? {} : { chain: chain as SigningKey['chain'] };
        const { data } = await rotateSigningKey(session, { body });
        notify(texts.rotated(data.kid));
        onRotate();
        onClose();
      }}
    >
      <p>{texts.rotateText}</p>
      {hasIdKeys && (
        <ChoiceField
          name="chain"
          label={texts.chain}
          value=""
          options={[
            ['', texts.both],
            ['ACCESS', texts.ACCESS],
            ['ID', texts.ID],
          ]}
        />
      )}
    </FormDialog>
  );
}
