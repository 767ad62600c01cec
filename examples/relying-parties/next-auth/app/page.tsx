import { getServerSession } from 'next-auth';
import { redirect } from 'next/navigation';
import { authOptions } from '../auth';

export default async function Page() {
  const session = await getServerSession(authOptions);
  if (session === null || session.isEnded) redirect('/api/auth/signin');
  return <p>Hello {session.user?.name}</p>;
}
