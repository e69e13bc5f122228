// bullmq: jobs through a queue, with locks that workers renew; its scripts use cmsgpack, its workers block.
'use strict';

const assert = require('node:assert');
const { once } = require('node:events');
const { Queue, QueueEvents, Worker } = require('bullmq');
const { scenariosOf, until } = require('./places.js');

// bullmq compares its own clock with nothing of the server's: only locks go by the server's time.
const scenario = scenariosOf('bullmq', { options: { clock: 'offset' } });

const settingsOf = (place) => ({
  connection: { ...place.address, retryStrategy: () => 1 },
  skipVersionCheck: false,
});

function opened(place, client) {
  client.on('error', () => {}); // A connection that breaks is told here, and made anew.
  return place.keep(client, () => client.close());
}

const openQueue = (place) => opened(place, new Queue('work', settingsOf(place)));
const openWorker = (place, routine, options) =>
  opened(place, new Worker('work', routine, { ...settingsOf(place), drainDelay: 1, ...options }));

scenario('a job goes through a queue and a worker', async (place) => {
  const queue = openQueue(place);
  const events = opened(place, new QueueEvents('work', settingsOf(place)));
  await events.waitUntilReady();
  openWorker(place, async (job) => ({ doubled: job.data.n * 2 }));
  const job = await queue.add('double', { n: 21 });
  assert.deepStrictEqual(await job.waitUntilFinished(events), { doubled: 42 });
  assert.deepStrictEqual(await queue.getJobCounts('completed', 'active', 'wait'), { completed: 1, active: 0, wait: 0 });
});

scenario('jobs are done in order of priority, and one that fails is tried again', async (place) => {
  const queue = openQueue(place);
  const done = [];
  await queue.addBulk([
    { name: 'later', data: {}, opts: { priority: 2 } },
    { name: 'sooner', data: {}, opts: { priority: 1 } },
    { name: 'first', data: {}, opts: { attempts: 2 } },
  ]);
  openWorker(place, async (job) => {
    done.push(job.name);
    if (job.name === 'first' && job.attemptsMade === 0) throw new Error('once more');
  });
  await until(async () => (await queue.getCompletedCount()) === 3);
  assert.deepStrictEqual(done, ['first', 'first', 'sooner', 'later']);
});

scenario('a worker that waits is woken by a job', async (place) => {
  const queue = openQueue(place);
  const worker = openWorker(place, async () => 'done', { drainDelay: 10 });
  await worker.waitUntilReady();
  await place.waitBlocked(1);
  await queue.add('wake', {});
  const [job, result] = await once(worker, 'completed');
  assert.deepStrictEqual([job.name, result], ['wake', 'done']);
});

scenario('a job is locked for one worker, until its lock is extended or given back', async (place) => {
  const queue = openQueue(place);
  const [alice, bob] = [1, 2].map(() => openWorker(place, null, { lockDuration: place.lease }));
  await queue.add('once', {});
  const job = await alice.getNextJob('alice', { block: false });
  assert.strictEqual(await bob.getNextJob('bob', { block: false }), undefined);
  assert.strictEqual(await place.call('GET', `bull:work:${job.id}:lock`), 'alice');
  assert.strictEqual(await job.extendLock('alice', 90_000), 1);
  assert.ok((await place.call('PTTL', `bull:work:${job.id}:lock`)) > 80_000);
  await assert.rejects(job.moveToCompleted('mine', 'bob', false), /lock/i);
  await job.moveToCompleted('mine', 'alice', false);
  assert.strictEqual(await place.call('EXISTS', `bull:work:${job.id}:lock`), 0);
});

scenario('a stalled job, whose lock has ended, is done by another worker', async (place) => {
  const queue = openQueue(place);
  const stopped = openWorker(place, null, { lockDuration: place.lease });
  const added = await queue.add('stall', {});
  await stopped.getNextJob('stopped', { block: false }); // It does nothing more with it.
  await place.endLease('*:lock');
  const heir = openWorker(place, async (job) => job.name, { stalledInterval: 2 });
  const stalled = [];
  heir.on('stalled', (id) => stalled.push(id));
  await until(() => stalled.length === 1);
  await until(() => added.isCompleted());
  assert.deepStrictEqual(stalled, [added.id]);
});

scenario.ours('a worker renews its lock while time passes, and not that of another', async (place) => {
  const queue = openQueue(place);
  let finish;
  const worker = openWorker(place, () => new Promise((resolve) => (finish = resolve)), {
    lockDuration: 60_000,
    lockRenewTime: 4,
  });
  const { id } = await queue.add('long', {});
  await until(() => finish);
  for (let i = 0; i < 3; ++i) {
    await place.server.advance(50_000);
    await until(async () => (await place.call('PTTL', `bull:work:${id}:lock`)) > 55_000);
  }
  await place.server.advance(60_001);
  const [failed] = await once(worker, 'lockRenewalFailed');
  assert.deepStrictEqual(failed, [id]);
  finish();
});

scenario.ours('a job whose reply is lost is sent again, and stands there once', async (place) => {
  const queue = openQueue(place);
  await queue.add('first', {}); // The server knows the script now.
  await place.server.fault('CLOSE-AFTER', { command: 'evalsha' });
  await queue.add('second', {}, { jobId: 'mine' });
  assert.strictEqual(await queue.getWaitingCount(), 2);
});
