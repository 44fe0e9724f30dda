// node pg-boss.mjs URL MESSAGES INSERTS: enqueues, says "ready", drains when told, says "done".
// What it does to warm up, as the others do, is over before it says "ready".
import PgBoss from 'pg-boss';
import pg from 'pg';

const WARM_UP = 10_000;
const [url, count, inserts] = [process.argv[2], Number(process.argv[3]), process.argv[4] === 'true'];
const pool = new pg.Pool({ connectionString: url, max: 20 });
const boss = new PgBoss({ connectionString: url, max: 20, supervise: false, schedule: false });
await boss.start();
await boss.createQueue('orders');

async function enqueue(total) {
  for (let i = 0; i < total; i += 1000) {
    const jobs = Array.from({ length: Math.min(1000, total - i) }, (_, n) => ({
      name: 'orders',
      data: { order: `order ${i + n}`, amount: 7, note: 'x'.repeat(950) },
    }));
    await boss.insert(jobs);
  }
}

async function work() {
  while (true) {
    const jobs = await boss.fetch('orders', { batchSize: 500 });
    if (!jobs || jobs.length === 0) {
      return;
    }
    if (inserts) {
      await Promise.all(jobs.map(job =>
        pool.query('INSERT INTO effects (name, amount) VALUES ($1, $2)', [job.data.order, job.data.amount])));
    }
    await boss.complete('orders', jobs.map(job => job.id));
  }
}

const drain = () => Promise.all([work(), work(), work(), work()]);

await enqueue(Math.min(WARM_UP, count));
await drain();
await pool.query('TRUNCATE effects');
await enqueue(count);
console.log('ready');
await new Promise(resolve => process.stdin.once('data', resolve));
await drain();
console.log('done');
process.exit(0);
