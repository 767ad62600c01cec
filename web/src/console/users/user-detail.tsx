import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Factors, Reply, User } from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { Acts } from '../act-button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { lazyDialog, lazyPart } from '../lazy.tsx';
import { useConsole } from '../context.ts';
import { TenantName } from '../tenant-name.tsx';
import { MailStatus } from './mail-state.tsx';
import { mailTexts } from './mail-texts.ts';
import { Held } from './user-parts.ts';
import { userTexts } from './texts.ts';
import { useUserActs } from './user-acts.tsx';
import { useFactors, useUser } from './user-queries.ts';
import { UserState } from './user-state.tsx';

const ChangeRoles = lazyDialog(async () => (await import('./user-forms.tsx')).ChangeRoles);
const EditUser = lazyDialog(async () => (await import('./user-forms.tsx')).EditUser);
const Evidence = lazyPart(async () => (await import('./evidence.tsx')).Evidence);
const UserGrants = lazyPart(async () => (await import('./user-grants.tsx')).UserGrants);
const UserPermissions = lazyPart(async () => (await import('./user-permissions.tsx')).UserPermissions);
const UserSessions = lazyPart(async () => (await import('./user-sessions.tsx')).UserSessions);

export function UserDetail({ id }: { readonly id: string }) {
  const { holds, linkTo } = useConsole();
  const user = useUser(id);
  const texts = userTexts();
  return (
    <ConsoleFrame
      title={user.data?.data.name ?? texts.title}
      actions={
        <Link class="button" href={linkTo(`/users/${id}/login`)}>
          {texts.cannotLogIn}
        </Link>
      }
    >
      <QueryView query={user}>
        {(versioned) => (
          <div class="record">
            <UserActs versioned={versioned} />
            <UserFacts user={versioned.data} />
            <UserPermissions user={versioned.data} />
            <UserSessions versioned={versioned} />
            {holds('MANAGE_SESSIONS') && <UserGrants user={versioned.data} />}
            <section>
              <h2>{texts.held}</h2>
              <Held user={versioned.data} />
            </section>
          </div>
        )}
      </QueryView>
    </ConsoleFrame>
  );
}

const SHOWN = [
  'inviteAgain',
  'copyLink',
  'cancelInvitation',
  'unlock',
  'enable',
  'keepEnabled',
  'disable',
  'secure',
  'remove',
] as const;

const FORMS = { edit: EditUser, roles: ChangeRoles } as const;

function UserActs({ versioned }: { readonly versioned: Reply<User> }) {
  const { canOpen, holds, linkTo } = useConsole();
  const [form, setForm] = useState<keyof typeof FORMS>();
  const { offered } = useUserActs(versioned);
  const texts = userTexts();
  const { id, username } = versioned.data;
  const Form = form && FORMS[form];
  return (
    <>
      {holds('MANAGE_USERS') && (
        <Acts acts={offered(...SHOWN)}>
          <button onClick={() => setForm('edit')}>{texts.edit}</button>
          <button onClick={() => setForm('roles')}>{texts.changeRoles}</button>
        </Acts>
      )}
      {canOpen('/audit') && <Evidence user={versioned.data} />}
      <p class="links">
        {canOpen('/audit') && <Link href={linkTo('/audit', { account: id })}>{texts.audit}</Link>}
        {canOpen('/audit') && <Link href={linkTo('/audit', { causedBy: id })}>{texts.causedAudit}</Link>}
        {canOpen('/explain') && <Link href={linkTo('/explain', { username })}>{texts.explain}</Link>}
      </p>
      {Form && <Form versioned={versioned} onClose={() => setForm(undefined)} />}
    </>
  );
}

function UserFacts({ user }: { readonly user: User }) {
  const factors = useFactors(user.id);
  const mail = mailTexts();
  const texts = userTexts();
  const { tenantId, email, emailVerified, loginFailedCount, accountExpiresAt, credentialsExpireAt, lastLoginAt } = user;
  return (
    <Facts>
      <Fact label={texts.state}>
        <UserState user={user} />
      </Fact>
      <Fact label={texts.username}>
        <Name>{user.username}</Name>
      </Fact>
      <Fact label={texts.email}>
        <Name>{email}</Name>{' '}
        {email !== undefined && <span class="quiet-text">({emailVerified ? texts.verified : texts.unverified})</span>}
      </Fact>
      {user.invitationMail && (
        <Fact label={mail.invitationMail}>
          <MailStatus state={user.invitationMail} remedy={mail.invitationRemedy} />
        </Fact>
      )}
      {user.recoveryMail && (
        <Fact label={mail.recoveryMail}>
          <MailStatus state={user.recoveryMail} remedy={mail.recoveryRemedy} />
        </Fact>
      )}
      <Fact label={texts.tenant}>
        <TenantName id={tenantId} />
      </Fact>
      <Fact label={texts.roles}>{user.heldRoles.join(', ')}</Fact>
      <Fact label={texts.lastLogin}>{lastLoginAt ? <Time>{lastLoginAt}</Time> : texts.never}</Fact>
      <Fact label={texts.factors}>{factors.data ? <FactorList factors={factors.data} /> : '–'}</Fact>
      {loginFailedCount > 0 && <Fact label={texts.failures}>{formatNumber(loginFailedCount)}</Fact>}
      {user.disableAt !== undefined && (
        <Fact label={texts.disableAt}>
          <Time>{user.disableAt}</Time>
        </Fact>
      )}
      <Fact label={texts.accountExpiresAt}>{accountExpiresAt ? <Time>{accountExpiresAt}</Time> : texts.never}</Fact>
      <Fact label={texts.credentialsExpireAt}>
        {credentialsExpireAt ? <Time>{credentialsExpireAt}</Time> : texts.never}
      </Fact>
      <Fact label={texts.created}>
        <Time>{user.createdAt}</Time>
      </Fact>
      <Fact label={texts.id}>
        <code>{user.id}</code>
      </Fact>
    </Facts>
  );
}

function FactorList({ factors: { totp, passkeys = [], recoveryCodes } }: { readonly factors: Factors }) {
  const texts = userTexts();
  const found = [
    ...(totp ? [texts.totp] : []),
    ...(passkeys.length > 0 ? [texts.passkeys(formatNumber(passkeys.length))] : []),
    ...(recoveryCodes ? [texts.recoveryCodes(formatNumber(recoveryCodes.remaining))] : []),
  ];
  return <>{found.join(', ') || texts.noFactors}</>;
}
