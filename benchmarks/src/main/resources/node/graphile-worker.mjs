// node graphile-worker.mjs URL MESSAGES INSERTS: enqueues, says "ready", drains when told, says "done".
// What it does to warm up, as the others do, is over before it says "ready".
import { makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';

const WARM_UP = 10_000;
const [url, count, inserts] = [process.argv[2], Number(process.argv[3]), process.argv[4] === 'true'];
const pool = new pg.Pool({ connectionString: url, max: 30 });
const utils = await makeWorkerUtils({ pgPool: pool });
await utils.migrate();

async function enqueue(total) {
  for (let i = 0; i < total; i += 1000) {
    const jobs = Array.from({ length: Math.min(1000, total - i) }, (_, n) => ({
      identifier: 'order',
      payload: { order: `order ${i + n}`, amount: 7, note: 'x'.repeat(950) },
    }));
    await utils.addJobs(jobs);
  }
}

async function drain(total) {
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
  while (done < total || (await pool.query(left)).rows[0].some) {
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  return runner;
}

await enqueue(Math.min(WARM_UP, count));
await (await drain(Math.min(WARM_UP, count))).stop();
await pool.query('TRUNCATE effects');
await enqueue(count);
console.log('ready');
await new Promise(resolve => process.stdin.once('data', resolve));
await drain(count);
console.log('done');
process.exit(0);
