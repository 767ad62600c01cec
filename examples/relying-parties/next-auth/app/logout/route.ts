import { NextRequest, NextResponse } from 'next/server';
import { getToken } from 'next-auth/jwt';
import { metadata } from '../../auth';

/** Ends the session here and at the provider. */
export async function GET(req: NextRequest) {
  const token = await getToken({ req });
  const url = new URL((await metadata()).end_session_endpoint);
  url.search = String(
    new URLSearchParams({
      client_id: process.env.AUTH_CLIENT_ID!,
      post_logout_redirect_uri: `${process.env.NEXTAUTH_URL}/goodbye`,
      ...(token && { id_token_hint: token.idToken }),
    }),
  );
  const response = NextResponse.redirect(url, 303);
  for (const { name } of req.cookies.getAll()) if (/next-auth\.session-token/.test(name)) response.cookies.delete(name);
  return response;
}
