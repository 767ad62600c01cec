import{P as e,T as t,_ as n,at as r,ft as i,lt as a,s as o,st as s,v as c}from"./ui-DOdO4lA4.js";import{t as l}from"./texts-7_9s79xQ.js";import{c as u}from"./vendor-DSzi3ehI.js";function d({type:e,clientId:t,redirectUris:n,scopes:r,jwks:i},a){let o={issuer:JSON.stringify(a),clientId:JSON.stringify(t),redirectUri:JSON.stringify(n[0]??`https://…`),scope:JSON.stringify(r.filter(e=>[`openid`,`profile`,`email`].includes(e)).join(` `))};return{WEB:()=>f(o,i!==void 0),SPA:()=>p(o),NATIVE:()=>m(o)}[e]()}function f({issuer:e,clientId:t,redirectUri:n,scope:r},i){return{library:`openid-client`,text:`import * as client from "openid-client";

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
}`}}const h=`/.well-known/openid-configuration`;function g({application:t}){let n=l(),r=a(async e=>{let t=await fetch(s(h),{signal:e});if(!t.ok)throw new i(n.noMetadata);return await t.json()},[]);return u(`section`,{class:`part narrow-part`,children:[u(`h2`,{children:n.connect}),u(e,{query:r,children:e=>u(_,{application:t,metadata:e})})]})}function _({application:e,metadata:i}){let a=l(),{issuer:s}=i;if(i.authorization_endpoint===void 0)return u(r,{kind:`warning`,children:u(`p`,{children:a.off})});let f=[[a.issuer,s],[a.clientId,e.clientId],[a.discovery,s+h],[a.authorize,i.authorization_endpoint],[a.token,i.token_endpoint],[a.userinfo,i.userinfo_endpoint],[a.keySet,i.jwks_uri],[a.endSession,i.end_session_endpoint]],{library:p,text:m}=d(e,s);return u(`div`,{class:`connect`,children:[u(`p`,{class:`quiet-text`,children:a.connectText}),u(c,{children:f.map(([e,r])=>r!==void 0&&u(n,{label:e,children:u(`span`,{class:`copyable`,children:[u(`code`,{children:r}),u(t,{text:r,of:e})]})},e))}),u(`h3`,{children:a.example(p)}),u(o,{text:m,label:a.copyExample})]})}export{g as HowToConnect};