// The page /invite.
import { startPage } from '../ui/start-page.tsx';
import { InvitePage } from './invite-page.tsx';

startPage(InvitePage);
