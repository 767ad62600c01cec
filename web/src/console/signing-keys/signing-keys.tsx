// The keys that sign access tokens and ID tokens.
import {
  listSigningKeys,
  revokeSigningKey,
  rotateSigningKey,
  type SigningKey,
} from '../../../../client/src/operations.ts';
import { useList } from '../../list.ts';
import { ActButton } from '../act-button.tsx';
import { reasonOf } from '../reason.tsx';
import { ChoiceField } from '../../ui/choice-field.tsx';
import { useService } from '../../ui/frame.tsx';
import { ListView } from '../../ui/list-view.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { signingKeyTexts } from './texts.ts';

const STATUS = { PUBLISHED: 'warn', ACTIVE: 'good', RETIRED: 'bad' } as const;

export default function SigningKeys() {
  const { session } = useService();
  const list = useList(
    [],
    ({ place }, signal) => listSigningKeys(session, { query: place }, { signal }),
    [],
    ['signing-keys'],
  );
  const texts = signingKeyTexts();
  const columns: readonly Column<SigningKey>[] = [
    { title: texts.kid, cell: ({ kid }) => <code>{kid}</code> },
    {
      title: texts.chain,
      cell: ({ chain, algorithm }) => (
        <span>
          {texts[chain]} <code class="quiet-text below">{algorithm}</code>
        </span>
      ),
    },
    { title: texts.state, cell: ({ state }) => <Status kind={STATUS[state]}>{texts[state]}</Status> },
    { title: texts.created, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
    { title: texts.signsFrom, cell: ({ signsFrom }) => <Time>{signsFrom}</Time> },
    { title: texts.verifiesUntil, cell: ({ verifiesUntil }) => <Time>{verifiesUntil}</Time> },
    { title: texts.actions, isAct: true, cell: (key) => <Revoke signingKey={key} /> },
  ];
  // Without keys of ID tokens, there is no choice.
  const hasIdKeys = list.query.data?.items.some(({ chain }) => chain === 'ID') === true;
  return (
    <ConsoleFrame title={texts.title} actions={<Rotate hasIdKeys={hasIdKeys} />}>
      <p>{texts.intro}</p>
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

function Rotate({ hasIdKeys }: { readonly hasIdKeys: boolean }) {
  const { session } = useService();
  const texts = signingKeyTexts();
  const chains = [
    ['', texts.both],
    ['ACCESS', texts.ACCESS],
    ['ID', texts.ID],
  ] as const;
  return (
    <ActButton
      label={texts.rotate}
      isDanger
      question={{
        title: texts.rotateTitle,
        text: texts.rotateText,
        action: texts.rotateAct,
        hasReason: true,
        fields: hasIdKeys && <ChoiceField name="chain" label={texts.chain} value="" options={chains} />,
      }}
      changes={['signing-keys']}
      run={async ({ chain = '', ...values }) => {
        const body = { ...(chain !== '' && { chain: chain as SigningKey['chain'] }), ...reasonOf(values) };
        return texts.rotated((await rotateSigningKey(session, { body })).data.kid);
      }}
    />
  );
}

function Revoke({ signingKey: { kid, state } }: { readonly signingKey: SigningKey }) {
  const { session } = useService();
  const texts = signingKeyTexts();
  return (
    <ActButton
      label={texts.revoke}
      name={texts.revokeOf(kid)}
      isDanger
      isSmall
      question={{
        title: texts.revokeTitle,
        text: (
          <>
            <p>{state === 'RETIRED' ? texts.revokeRetiredText : texts.revokeText}</p>
            <p>{texts.revokeCached}</p>
          </>
        ),
        action: texts.revokeAct,
        hasReason: true,
      }}
      changes={['signing-keys', 'sessions']}
      run={async (values) => {
        const { data } = await revokeSigningKey(session, { path: { kid }, body: reasonOf(values) });
        return texts.revoked(data.kid);
      }}
    />
  );
}
