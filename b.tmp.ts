import { pino } from 'pino';
import mysql from 'mysql2/promise';
import { connectDatabase } from './src/db/connect.ts';
import { newId, idToBytes } from './src/db/ids.ts';
const log = pino({level:'warn'});
const raw = mysql.createPool({host:'127.0.0.1',port:33990,user:'root',database:'m1',connectionLimit:10, charset:'utf8mb4_bin'});
const my = connectDatabase({url:'mysql://root@127.0.0.1:33990/m1', poolSize: 10, log});
const lite = connectDatabase({url:'sqlite::memory:', poolSize: 1, log});
await lite.execute('create table token_blacklist(id blob primary key, expires_at integer not null)');
const ids = Array.from({length:1000},()=>idToBytes(newId()));
for (const d of [my, lite]) for (const id of ids) await d.execute('insert into token_blacklist values (?,?)',[id, 1e12]);
const SQL='SELECT id, expires_at FROM token_blacklist WHERE id = ?';
const UP='UPDATE token_blacklist SET expires_at = expires_at + 1 WHERE id = ? AND expires_at > ?';
const V: Record<string,(i:number)=>Promise<unknown>> = {
  raw: (i)=>raw.execute(SQL,[ids[i%1000]!]), my: (i)=>my.query(SQL,[ids[i%1000]!]),
  rawUp: (i)=>raw.execute(UP,[ids[i%1000]!,5]), myUp: (i)=>my.execute(UP,[ids[i%1000]!,5]),
  knexAcq: async (i)=>{const c=await my.knex.client.acquireConnection(); my.knex.client.releaseConnection(c)},
  lite: (i)=>lite.query(SQL,[ids[i%1000]!]), liteUp:(i)=>lite.execute(UP,[ids[i%1000]!,5]),
};
async function run(f:(i:number)=>Promise<unknown>, conc:number, ms:number){ let n=0; const end=performance.now()+ms; const t0=performance.now(); const cpu=process.cpuUsage();
  await Promise.all(Array.from({length:conc},async(_, w)=>{ let i=w*97; while(performance.now()<end){ await f(i++); n++; } })); const c=process.cpuUsage(cpu); return [n/(performance.now()-t0)*1000, (c.user+c.system)/n] as const; }
for (const conc of [10, 32]) { const R: Record<string,number[][]>={}; 
 for (let r=0;r<5;r++) for (const k of Object.keys(V)) { const x=await run(V[k]!,conc,500); if(r) (R[k]??=[]).push([...x]); }
 for (const k in R) { const m=R[k]!.map(x=>x[0]!).sort((a,b)=>a-b), c=R[k]!.map(x=>x[1]!).sort((a,b)=>a-b); console.log(conc,k,Math.round(m[2]!)+'/s',c[1]!.toFixed(1)+'us cpu'); } }
await raw.end(); await my.close(); await lite.close();
