import { getServerSession } from 'next-auth';
import { authOptions } from '../../auth';

/** Who is logged in, for the test. */
export async function GET() {
  const session = await getServerSession(authOptions);
  return session === null || session.isEnded ? new Response(null, { status: 401 }) : Response.json(session.user);
}
