import{N as e,T as t,_ as n,ct as r,dt as i,it as a,ot as o,s,v as c}from"./ui-B61Fi1cz.js";import{t as l}from"./texts-D_vWftbO.js";import{c as u}from"./vendor-DSzi3ehI.js";function d({type:e,clientId:t,redirectUris:n,scopes:r,jwks:i},a){let o={issuer:JSON.stringify(a),clientId:JSON.stringify(t),redirectUri:JSON.stringify(n[0]??`https://…`),scope:JSON.stringify(r.filter(e=>[`openid`,`profile`,`email`].includes(e)).join(` `))};return{WEB:()=>f(o,i!==void 0),SPA:()=>p(o),NATIVE:()=>m(o)}[e]()}function f({issuer:e,clientId:t,redirectUri:n,scope:r},i){return{library:`openid-client`,text:`import * as client from "openid-client";

const config = await client.discovery(
  new URL(${e}),
  ${t},
  undefined,
  ${i?`client.PrivateKeyJwt(privateKey)`:`client.ClientSecretBasic(process.env.CLIENT_SECRET)`},${e.startsWith(`"http:`)?`
  { execute: [client.allowInsecureRequests] },`:``}
);
// Keep the verifier in the user's session until the callback.
const verifier = client.randomPKCECodeVerifier();
const loginUrl = client.buildAuthorizationUrl(config, {
  redirect_uri: ${n},
  scope: ${r},
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: "S256",
});
// In the callback:
const tokens = await client.authorizationCodeGrant(config, callbackUrl, { pkceCodeVerifier: verifier });
console.log(tokens.claims());`}}function p({issuer:e,clientId:t,redirectUri:n,scope:r}){return{library:`oidc-client-ts`,text:`import { UserManager } from "oidc-client-ts";

const users = new UserManager({
  authority: ${e},
  client_id: ${t},
  redirect_uri: ${n},
  scope: ${r},
});
await users.signinRedirect();
// At the redirect URI:
const user = await users.signinCallback();`}}function m({issuer:e,clientId:t,redirectUri:n,scope:r}){return{library:`AppAuth (Android)`,text:`AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse(${e})) { configuration, error ->
  val request = AuthorizationRequest.Builder(
    configuration ?: throw error!!,
    ${t},
    ResponseTypeValues.CODE,
    Uri.parse(${n}),
  ).setScope(${r}).build()
  login.launch(AuthorizationService(this).getAuthorizationRequestIntent(request))
}`}}const h=`/.well-known/openid-configuration`;function g({application:t}){let n=l(),a=r(async e=>{let t=await fetch(o(h),{signal:e});if(!t.ok)throw new i(n.noMetadata);return await t.json()},[]);return u(`section`,{class:`part narrow-part`,children:[u(`h2`,{children:n.connect}),u(e,{query:a,children:e=>u(_,{application:t,metadata:e})})]})}function _({application:e,metadata:r}){let i=l(),{issuer:o}=r;if(r.authorization_endpoint===void 0)return u(a,{kind:`warning`,children:u(`p`,{children:i.off})});let f=[[i.issuer,o],[i.clientId,e.clientId],[i.discovery,o+h],[i.authorize,r.authorization_endpoint],[i.token,r.token_endpoint],[i.userinfo,r.userinfo_endpoint],[i.keySet,r.jwks_uri],[i.endSession,r.end_session_endpoint]],{library:p,text:m}=d(e,o);return u(`div`,{class:`connect`,children:[u(`p`,{class:`quiet-text`,children:i.connectText}),u(c,{children:f.map(([e,r])=>r!==void 0&&u(n,{label:e,children:u(`span`,{class:`copyable`,children:[u(`code`,{children:r}),u(t,{text:r,of:e})]})},e))}),u(`h3`,{children:i.example(p)}),u(s,{text:m,label:i.copyExample})]})}export{g as HowToConnect};