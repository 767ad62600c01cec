// A finding in the language of the page: with names and links instead of ids, and local times.
import { Fragment, type ComponentChildren, type FunctionComponent } from 'preact';
import { Link } from 'wouter-preact';
import { formatDuration } from '../../format.ts';
import { partsOf } from '../../template.ts';
import { Time } from '../../ui/time.tsx';
import { useConsole } from '../context.ts';
import { TenantName } from '../tenant-name.tsx';
import { AccountName } from './account.tsx';
import type { Check } from './check.ts';
import { findingTexts } from './finding-texts.ts';
import { PolicyValues } from './policy-values.tsx';
import { explainTexts } from './texts.ts';

interface ParameterProps {
  readonly value: string;
  readonly params: Check['params'];
}

const PARAMETERS: Readonly<Record<string, FunctionComponent<ParameterProps>>> = {
  account: ({ value }) => <AccountName id={value} />,
  clientId: ({ value, params }) => <ApplicationName clientId={value} name={params['application'] ?? value} />,
  methods: ({ value }) => <>{value.split(' ').map(wordOf).join(', ')}</>,
  seconds: ({ value }) => <>{formatDuration(Number(value))}</>,
  secrets: ({ value }) => <Secrets value={value} />,
  session: ({ value }) => <SessionName id={value} />,
  tenant: ({ value }) => <TenantName id={value} />,
  until: ({ value }) => <Time hasZone>{value}</Time>,
};

/** Returns the word for a value; the value itself for one of a later release. */
const wordOf = (value: string): string =>
  (explainTexts() as Readonly<Record<string, unknown>>)[value]?.toString() ?? value;

/** The text of a check. A code of a later release has the text of the service, which is English. */
export function Finding({ check: { code, params, detail } }: { readonly check: Check }) {
  const template = (findingTexts() as Readonly<Record<string, string>>)[code];
  if (template === undefined) return <bdi lang="en">{detail}</bdi>;
  const hasPolicy = Object.keys(params).some((name) => `${name}Source` in params);
  const parts = partsOf(hasPolicy ? template : template.replace(' ({policy})', ''));
  const show = (name: string): ComponentChildren => {
    if (name === 'policy') return <PolicyValues params={params} />;
    const Parameter = PARAMETERS[name];
    const value = params[name] ?? '';
    return Parameter ? <Parameter value={value} params={params} /> : <bdi>{value}</bdi>;
  };
  // One element, because a cell of a narrow screen is a grid.
  return (
    <span>
      {parts.map((part, index) => (
        <Fragment key={index}>{'text' in part ? part.text : show(part.name)}</Fragment>
      ))}
    </span>
  );
}

function SessionName({ id }: { readonly id: string }) {
  const { canOpen, linkTo } = useConsole();
  const { sessionWord } = explainTexts();
  if (!canOpen('/sessions')) return <>{sessionWord}</>;
  return (
    <Link href={linkTo(`/sessions/${id}`)} title={id}>
      {sessionWord}
    </Link>
  );
}

interface ApplicationNameProps {
  readonly clientId: string;
  readonly name: string;
}

export function ApplicationName({ clientId, name }: ApplicationNameProps) {
  const { canOpen } = useConsole();
  if (!canOpen('/applications')) return <bdi>{name}</bdi>;
  return (
    <Link href={`/applications?${new URLSearchParams({ q: clientId })}`}>
      <bdi>{name}</bdi>
    </Link>
  );
}

/** Ids, each with its end after a slash. */
function Secrets({ value }: { readonly value: string }) {
  const texts = explainTexts();
  return (
    <>
      {value.split(' ').map((secret, index) => {
        const [id, until] = secret.split('/');
        return (
          <Fragment key={id}>
            {index > 0 && ', '}
            {until === undefined ? texts.withoutEnd : texts.until} <Time hasZone>{until}</Time>
          </Fragment>
        );
      })}
    </>
  );
}
