// The page /invite.
import { startPage } from '../ui/frame.tsx';
import { InvitePage } from './invite-page.tsx';

startPage(InvitePage);
