// ioredis as people use it for locks: SET NX PX, and scripts that it sends by their hash first.
'use strict';

const assert = require('node:assert');
const { once } = require('node:events');
const Redis = require('ioredis');
const { scenariosOf, sleep, until } = require('./places.js');

const scenario = scenariosOf('ioredis');

function open(place, options = {}) {
  const client = new Redis({ ...place.address, ...options });
  client.on('error', () => {}); // Each command tells of its own.
  client.defineCommand('release', {
    numberOfKeys: 1,
    lua: "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0",
  });
  client.defineCommand('extend', {
    numberOfKeys: 1,
    lua: "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0",
  });
  return place.keep(client, () => client.disconnect());
}

const take = (client, owner, lease) => client.set('ledger', owner, 'PX', lease, 'NX');

scenario('a lock excludes others until it is released', async (place) => {
  const [alice, bob] = [open(place), open(place)];
  assert.strictEqual(await take(alice, 'alice', 60_000), 'OK');
  assert.strictEqual(await take(bob, 'bob', 60_000), null);
  assert.strictEqual(await bob.release('ledger', 'bob'), 0);
  assert.strictEqual(await alice.release('ledger', 'alice'), 1);
  assert.strictEqual(await take(bob, 'bob', 60_000), 'OK');
});

scenario('a lock ends with its lease', async (place) => {
  const [alice, bob] = [open(place), open(place)];
  assert.strictEqual(await take(alice, 'alice', place.lease), 'OK');
  await place.endLease();
  assert.strictEqual(await take(bob, 'bob', 60_000), 'OK');
  assert.strictEqual(await alice.release('ledger', 'alice'), 0);
  assert.strictEqual(await alice.extend('ledger', 'alice', 60_000), 0);
  assert.strictEqual(await bob.get('ledger'), 'bob');
});

scenario('a lock is extended', async (place) => {
  const alice = open(place);
  assert.strictEqual(await take(alice, 'alice', 60_000), 'OK');
  assert.strictEqual(await alice.extend('ledger', 'alice', 90_000), 1);
  const left = await alice.pttl('ledger');
  assert.ok(left > 80_000 && left <= 90_000, String(left));
});

scenario('a waiter that tries again gets the lock', async (place) => {
  const [alice, bob] = [open(place), open(place)];
  await take(alice, 'alice', 60_000);
  const got = until(async () => (await take(bob, 'bob', 60_000)) === 'OK');
  await sleep(3);
  assert.strictEqual(await alice.get('ledger'), 'alice');
  await alice.release('ledger', 'alice');
  await got;
  assert.strictEqual(await alice.get('ledger'), 'bob');
});

scenario('a waiter is woken by a list', async (place) => {
  const [waits, other] = [open(place), open(place)];
  const popped = waits.blpop('free', 10);
  await place.waitBlocked(1);
  assert.strictEqual(await other.rpush('free', 'token'), 1);
  assert.deepStrictEqual(await popped, ['free', 'token']);
});

scenario('the end of a lease is announced', async (place) => {
  const [listener, alice] = [open(place), open(place)];
  await alice.config('SET', 'notify-keyspace-events', 'Ex');
  const announced = new Promise((resolve) => {
    listener.on('message', (channel, key) => resolve([channel, key]));
  });
  await listener.subscribe('__keyevent@0__:expired');
  await take(alice, 'alice', place.lease);
  await place.endLease();
  assert.strictEqual(await alice.get('ledger'), null);
  assert.deepStrictEqual(await announced, ['__keyevent@0__:expired', 'ledger']);
});

scenario('a watched lock that has changed ends a transaction', async (place) => {
  const [alice, bob] = [open(place), open(place)];
  await alice.watch('ledger');
  await take(bob, 'bob', 60_000);
  assert.strictEqual(await alice.multi().set('ledger', 'alice').exec(), null);
  const [got, failed] = await alice.pipeline().get('ledger').incr('ledger').exec();
  assert.deepStrictEqual(got, [null, 'bob']);
  assert.match(failed[0].message, /value is not an integer/);
});

scenario.ours('the lease is over one millisecond after its last', async (place) => {
  const [alice, bob] = [open(place), open(place)];
  await take(alice, 'alice', 1500);
  await place.server.advance(1500);
  assert.strictEqual(await take(bob, 'bob', 1500), null);
  await place.server.advance(1);
  assert.strictEqual(await take(bob, 'bob', 1500), 'OK');
});

scenario.ours('a lost reply leaves a lock that nobody knows of', async (place) => {
  const [alice, bob] = [open(place, { commandTimeout: 20 }), open(place)];
  await once(alice, 'ready'); // The time limit is for the request alone.
  await place.server.fault('DROP-REPLY', { command: 'set', key: 'ledger' });
  await assert.rejects(take(alice, 'alice', 10_000), /Command timed out/);
  await until(async () => (await bob.get('ledger')) === 'alice');
  assert.strictEqual(await take(bob, 'bob', 10_000), null);
  await place.server.advance(10_001);
  assert.strictEqual(await take(bob, 'bob', 10_000), 'OK');
});

scenario.ours('a command sent again meets its own first try', async (place) => {
  const alice = open(place, { retryStrategy: () => 1 });
  await alice.ping();
  await place.server.fault('CLOSE-AFTER', { command: 'set' });
  assert.strictEqual(await take(alice, 'alice', 10_000), null);
  assert.strictEqual(await alice.get('ledger'), 'alice');
});

scenario.ours('a delayed release does not free the next owner', async (place) => {
  const [alice, bob] = [open(place, { connectionName: 'slow' }), open(place)];
  await take(alice, 'alice', 10_000);
  await alice.release('ledger', 'nobody'); // The server knows the script now.
  await place.server.fault(['DELAY', 20_000], { command: 'evalsha', client: 'slow' });
  const released = alice.release('ledger', 'alice');
  await place.waitBlocked(1);
  await place.server.advance(10_001);
  await take(bob, 'bob', 100_000);
  await place.server.advance(10_000);
  assert.strictEqual(await released, 0);
  assert.strictEqual(await bob.get('ledger'), 'bob');
});
