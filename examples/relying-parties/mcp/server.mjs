// An MCP server whose users log in at the issuer. It needs no client id: its address is an audience.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
// snippet:start server
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js';
import { createRemoteJWKSet, jwtVerify } from 'jose';

/** Returns what tells clients where to log in, and what checks their access tokens. */
export async function protect(issuer, resource, tenantId) {
  const oauthMetadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  // The keys of access tokens.
  const keys = createRemoteJWKSet(new URL(oauthMetadata.jwks_uri), { cacheMaxAge: 300_000 });
  async function verifyAccessToken(token) {
    try {
      const rules = { issuer, audience: resource, typ: 'at+jwt', algorithms: ['ES256'] };
      const { payload } = await jwtVerify(token, keys, rules);
      // The keys are those of all tenants.
      if (payload.tenantId !== tenantId) throw new Error('the token is of another tenant');
      const { client_id: clientId, scope = '', exp: expiresAt, sub } = payload;
      return { token, clientId, scopes: scope.split(' '), expiresAt, extra: { sub } };
    } catch (error) {
      throw new InvalidTokenError(error.message);
    }
  }
  const resourceServerUrl = new URL(resource);
  return [
    mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl, scopesSupported: ['profile'] }),
    requireBearerAuth({
      verifier: { verifyAccessToken },
      resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resourceServerUrl),
    }),
  ];
}
// snippet:end

/** Starts a server with one tool, which tells who calls it. */
export async function serve(issuer, origin, tenantId) {
  const [metadata, authenticated] = await protect(issuer, `${origin}/mcp`, tenantId);
  const app = express().use(metadata).use(express.json());
  app.post('/mcp', authenticated, async (request, response) => {
    const server = new McpServer({ name: 'wiki', version: '1' });
    server.registerTool('whoami', {}, ({ authInfo }) => ({
      content: [{ type: 'text', text: JSON.stringify({ sub: authInfo.extra.sub }) }],
    }));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    response.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
  app.all('/mcp', (_, response) => void response.sendStatus(405));
  return app;
}
