// ioredis with `sentinels`: it follows a failover, and sees the writes that are lost.
'use strict';

const assert = require('node:assert');
const Redis = require('ioredis');
const { sentinelScenariosOf } = require('./sentinels.js');

const scenario = sentinelScenariosOf('ioredis, sentinel');

function open(place, options = {}) {
  const client = new Redis({ ...place.options, sentinelRetryStrategy: () => 10, retryStrategy: () => 10, ...options });
  client.on('error', () => {});
  client.defineCommand('release', {
    numberOfKeys: 1,
    lua: "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0",
  });
  return place.keep(client, () => client.disconnect());
}

scenario('a client writes at the new master after a failover', async (place) => {
  const client = open(place);
  assert.strictEqual(await client.set('lock', 'alice', 'PX', 60_000, 'NX'), 'OK');
  assert.strictEqual(await client.wait(2, 5000), 2);
  await place.failOver();
  const port = await place.masterPort();
  assert.ok(place.ports.slice(1).includes(port));
  assert.strictEqual(await client.get('lock'), 'alice');
  assert.strictEqual(await client.release('lock', 'alice'), 1);
  assert.strictEqual(await client.set('lock', 'bob', 'PX', 60_000, 'NX'), 'OK');
  assert.strictEqual(await place.call(port, 'GET', 'lock'), 'bob');
});

scenario('a write that did not get through is lost, and two hold the lock', async (place) => {
  const client = open(place);
  assert.strictEqual(await client.set('before', '1'), 'OK');
  assert.strictEqual(await client.wait(2, 5000), 2);
  await place.letWritesLag();
  assert.strictEqual(await client.set('lock', 'alice', 'PX', 600_000, 'NX'), 'OK');
  await place.crashPrimary();
  assert.strictEqual(await client.get('before'), '1');
  // Alice still believes that she holds it.
  assert.strictEqual(await client.set('lock', 'bob', 'PX', 600_000, 'NX'), 'OK');
  assert.strictEqual(await place.call(await place.masterPort(), 'GET', 'lock'), 'bob');
});

scenario('a client that reads from replicas finds one', async (place) => {
  const writes = open(place);
  assert.strictEqual(await writes.set('k', 'v'), 'OK');
  assert.strictEqual(await writes.wait(2, 5000), 2);
  const reads = open(place, { role: 'slave' });
  assert.strictEqual(await reads.get('k'), 'v');
  await assert.rejects(reads.set('k', 'w'), /READONLY/);
});
