// A person who cannot log in: what is in the way, in a sentence, and what helps.
import { Link } from 'wouter-preact';
import { getTenant, type Factors, type Reply, type Tenant, type User } from '../../../../client/src/operations.ts';
import { formatDateTime, formatNumber } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { Acts, type Act } from '../act-button.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { lazyPart } from '../lazy.tsx';
import { loginHelpTexts } from './login-help-texts.ts';
import { MailStatus } from './mail-state.tsx';
import { mailTexts } from './mail-texts.ts';
import { userTexts } from './texts.ts';
import { useUserActs } from './user-acts.tsx';
import { useFactors, useUser } from './user-queries.ts';

const LastAttempts = lazyPart(async () => (await import('./last-attempts.tsx')).LastAttempts);

export function LoginHelp({ id }: { readonly id: string }) {
  const { linkTo } = useConsole();
  const user = useUser(id);
  const texts = loginHelpTexts();
  const name = user.data?.data.name;
  return (
    <ConsoleFrame
      title={name === undefined ? texts.title : texts.titleOf(name)}
      actions={
        <Link class="button" href={linkTo(`/users/${id}`)}>
          {texts.toUser}
        </Link>
      }
    >
      <QueryView query={user}>{(versioned) => <Help versioned={versioned} />}</QueryView>
    </ConsoleFrame>
  );
}

function Help({ versioned }: { readonly versioned: Reply<User> }) {
  const { session } = useService();
  const { holds } = useConsole();
  const { id, tenantId, recoveryMail } = versioned.data;
  const mail = mailTexts();
  const factors = useFactors(id);
  const tenant = useQuery(
    async (signal) =>
      tenantId !== undefined && holds('MANAGE_TENANTS')
        ? (await getTenant(session, { path: { tenantId } }, { signal })).data
        : undefined,
    [tenantId],
    ['tenants'],
  );
  const { offered } = useUserActs(versioned);
  const texts = loginHelpTexts();
  return (
    <div class="record">
      <Obstacles versioned={versioned} tenant={tenant.data} />
      <section>
        <h2>{texts.password}</h2>
        <p>{texts.passwordText}</p>
        <Acts acts={offered('sendRecovery', 'temporaryPassword')} />
        {recoveryMail && (
          <p>
            {mail.recoveryMail}: <MailStatus state={recoveryMail} remedy={mail.recoveryRemedy} />
          </p>
        )}
      </section>
      <section>
        <h2>{userTexts().factors}</h2>
        <QueryView query={factors}>{(data) => <FactorHelp versioned={versioned} factors={data} />}</QueryView>
      </section>
      {holds('READ_AUDIT') && <LastAttempts id={id} />}
    </div>
  );
}

interface Obstacle {
  readonly text: string;
  readonly acts: readonly Act[];
}

interface ObstaclesProps {
  readonly versioned: Reply<User>;
  /** Undefined if it has none, or if the administrator may not see it. */
  readonly tenant: Tenant | undefined;
}

function Obstacles({ versioned, tenant }: ObstaclesProps) {
  const { linkTo } = useConsole();
  const { offered } = useUserActs(versioned);
  const texts = loginHelpTexts();
  const { disabled, accountExpiresAt, lockedUntil, credentialsExpireAt, invitationExpiresAt, loginFailedCount } =
    versioned.data;
  const now = Date.now();
  const isPast = (time: string | undefined): time is string => time !== undefined && Date.parse(time) <= now;
  const found: readonly (Obstacle | false)[] = [
    disabled && { text: texts.disabled, acts: offered('enable') },
    isPast(accountExpiresAt) && { text: texts.expired(formatDateTime(accountExpiresAt)), acts: [] },
    lockedUntil !== undefined && {
      text: texts.locked(formatNumber(loginFailedCount), formatDateTime(lockedUntil)),
      acts: offered('unlock'),
    },
    invitationExpiresAt !== undefined && {
      text: isPast(invitationExpiresAt)
        ? texts.invitationEnded(formatDateTime(invitationExpiresAt))
        : texts.invited(formatDateTime(invitationExpiresAt)),
      acts: offered('inviteAgain', 'copyLink'),
    },
    isPast(credentialsExpireAt) && {
      text: texts.passwordExpired(formatDateTime(credentialsExpireAt)),
      acts: offered('sendRecovery', 'temporaryPassword'),
    },
  ];
  const obstacles = found.filter((obstacle) => obstacle !== false);
  const isSuspended = tenant?.status === 'SUSPENDED';
  return (
    <section>
      <h2>{texts.inTheWay}</h2>
      {obstacles.length === 0 && !isSuspended && (
        <p>
          <Status kind="good">{texts.nothing}</Status>
        </p>
      )}
      {isSuspended && (
        <p>
          <Status kind="bad">{texts.suspended(tenant.name)}</Status>{' '}
          <Link href={linkTo(`/tenants/${tenant.id}`)}>{texts.toTenant}</Link>
        </p>
      )}
      {obstacles.map(({ text, acts }) => (
        <div key={text} class="obstacle">
          <Status kind="bad">{text}</Status>
          <Acts acts={acts} />
        </div>
      ))}
      {lockedUntil === undefined && loginFailedCount > 0 && (
        <p class="quiet-text">{texts.failures(formatNumber(loginFailedCount))}</p>
      )}
      {isPast(accountExpiresAt) && (
        <p>
          <Link href={linkTo(`/users/${versioned.data.id}`)}>{texts.extend}</Link>
        </p>
      )}
    </section>
  );
}

interface FactorRow {
  readonly id: string;
  readonly label: string;
  readonly createdAt: string;
  readonly lastUsedAt?: string | undefined;
}

function FactorHelp({ versioned, factors }: { readonly versioned: Reply<User>; readonly factors: Factors }) {
  const { offered, removeFactor } = useUserActs(versioned);
  const texts = loginHelpTexts();
  const { totp, passkeys = [], recoveryCodes, required } = factors;
  const rows: readonly FactorRow[] = [
    ...(totp ? [{ ...totp, id: 'totp', label: userTexts().totp }] : []),
    ...passkeys.map(({ id, label, createdAt, lastUsedAt }) => ({ id, label, createdAt, lastUsedAt })),
  ];
  if (rows.length === 0) return <p>{required ? texts.noFactorYet : texts.noFactor}</p>;
  return (
    <>
      <p>
        {texts.factorText} {recoveryCodes && userTexts().recoveryCodes(formatNumber(recoveryCodes.remaining))}
      </p>
      <Acts acts={offered('accessCode', 'resetFactors')} />
      <Table
        caption={userTexts().factors}
        items={rows}
        keyOf={({ id }) => id}
        columns={[
          { title: texts.factor, cell: ({ label }) => <Name>{label}</Name> },
          { title: userTexts().created, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
          { title: texts.lastUsed, cell: ({ lastUsedAt }) => <Time>{lastUsedAt}</Time> },
          ...(removeFactor
            ? [
                {
                  title: texts.actions,
                  isAct: true,
                  cell: ({ id, label }: FactorRow) => <Acts acts={[removeFactor(id, label)]} />,
                },
              ]
            : []),
        ]}
      />
    </>
  );
}
