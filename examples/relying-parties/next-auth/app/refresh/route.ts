import { createHash } from 'node:crypto';
import { NextRequest } from 'next/server';
import { getToken } from 'next-auth/jwt';

/** Shows that the access token is another one, for the test. `/api/auth/session` refreshes it. */
export async function GET(req: NextRequest) {
  const token = await getToken({ req });
  if (token === null || token.isEnded) return new Response(null, { status: 401 });
  return Response.json(createHash('sha256').update(token.accessToken).digest('hex'));
}
