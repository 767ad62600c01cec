// The forms for new users, which are loaded when they are opened.
import { lazyDialog } from '../lazy.tsx';

export const CreateUser = lazyDialog(async () => (await import('./create-user.tsx')).CreateUser);
export const InviteUsers = lazyDialog(async () => (await import('./invite-users.tsx')).InviteUsers);
