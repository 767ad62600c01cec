// The keys that sign access tokens.
import { listSigningKeys, rotateSigningKey, type SigningKey } from '../../../../client/src/operations.ts';
import { useList } from '../../list.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { confirm } from '../../ui/confirm.tsx';
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
  const rotate = useAct(async () => {
    const question = { title: texts.rotateTitle, text: texts.rotateText, action: texts.rotateAct };
    if (!(await confirm(question))) return;
    const { data } = await rotateSigningKey(session);
    notify(texts.rotated(data.kid));
    list.query.reload();
  });
  const columns: readonly Column<SigningKey>[] = [
    { title: texts.kid, cell: ({ kid }) => <code>{kid}</code> },
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
        <button class="danger" aria-disabled={rotate.isBusy} onClick={() => rotate.run()}>
          {texts.rotate}
        </button>
      }
    >
      <p>{texts.intro}</p>
      <ActError act={rotate} />
      <ListView
        list={list}
        caption={texts.title}
        columns={columns}
        keyOf={({ kid }) => kid}
        empty={<p>{texts.empty}</p>}
      />
    </ConsoleFrame>
  );
}
