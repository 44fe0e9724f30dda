// node graphile-worker.mjs URL MESSAGES INSERTS: enqueues, says "ready", drains when told, says "done".
import { makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';

const [url, count, inserts] = [process.argv[2], Number(process.argv[3]), process.argv[4] === 'true'];
const pool = new pg.Pool({ connectionString: url, max: 30 });

const utils = await makeWorkerUtils({ pgPool: pool });
await utils.migrate();
for (let i = 0; i < count; i += 1000) {
  const jobs = Array.from({ length: Math.min(1000, count - i) }, (_, n) => ({
    identifier: 'order',
    payload: { order: `order ${i + n}`, amount: 7, note: 'x'.repeat(950) },
  }));
  await utils.addJobs(jobs);
}

console.log('ready');
await new Promise(resolve => process.stdin.once('data', resolve));
let done = 0;
const runner = await run({
  pgPool: pool,
  preset: { worker: { concurrentJobs: 24, localQueue: { size: 500 }, completeJobBatchDelay: 0, pollInterval: 50 } },
  taskList: {
    order: async (payload, helpers) => {
      if (inserts) {
        await helpers.query('INSERT INTO effects (name, amount) VALUES ($1, $2)', [payload.order, payload.amount]);
      }
      done++;
    },
  },
});
const left = 'SELECT EXISTS (SELECT 1 FROM graphile_worker._private_jobs) AS some';
while (done < count || (await pool.query(left)).rows[0].some) {
  await new Promise(resolve => setTimeout(resolve, 10));
}
console.log('done');
await runner.stop();
process.exit(0);
