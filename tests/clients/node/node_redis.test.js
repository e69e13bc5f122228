// node-redis speaking RESP3: maps and doubles come as such, and messages share the connection with replies.
'use strict';

const assert = require('node:assert');
const { createClient, defineScript } = require('redis');
const { scenariosOf, sleep, until } = require('./places.js');

const scenario = scenariosOf('node-redis, RESP3');

const scriptOf = (action) =>
  defineScript({
    SCRIPT: `if redis.call('GET', KEYS[1]) == ARGV[1] then return ${action} end return 0`,
    NUMBER_OF_KEYS: 1,
    parseCommand(parser, key, ...words) {
      parser.pushKey(key);
      parser.push(...words);
    },
    transformReply: (reply) => reply,
  });

async function open(place, options = {}) {
  const { host, port, path } = place.address;
  const client = createClient({
    RESP: 3,
    ...options,
    socket: { ...(path ? { path, tls: false } : { host, port }), reconnectStrategy: () => 1 },
    scripts: {
      release: scriptOf("redis.call('DEL', KEYS[1])"),
      extend: scriptOf("redis.call('PEXPIRE', KEYS[1], ARGV[2])"),
    },
  });
  client.on('error', () => {}); // Each command tells of its own.
  await client.connect();
  return place.keep(client, () => client.isOpen && client.destroy());
}

const take = (client, owner, lease) =>
  client.set('ledger', owner, { condition: 'NX', expiration: { type: 'PX', value: lease } });

scenario('a lock excludes others until it is released', async (place) => {
  const [alice, bob] = [await open(place), await open(place)];
  assert.strictEqual(await take(alice, 'alice', 60_000), 'OK');
  assert.strictEqual(await take(bob, 'bob', 60_000), null);
  assert.strictEqual(await bob.release('ledger', 'bob'), 0);
  assert.strictEqual(await alice.release('ledger', 'alice'), 1);
  assert.strictEqual(await take(bob, 'bob', 60_000), 'OK');
});

scenario('a lock ends with its lease', async (place) => {
  const [alice, bob] = [await open(place), await open(place)];
  assert.strictEqual(await take(alice, 'alice', place.lease), 'OK');
  await place.endLease();
  assert.strictEqual(await take(bob, 'bob', 60_000), 'OK');
  assert.strictEqual(await alice.extend('ledger', 'alice', '60000'), 0);
  assert.strictEqual(await alice.release('ledger', 'alice'), 0);
});

scenario('a lock is extended', async (place) => {
  const alice = await open(place);
  await take(alice, 'alice', 60_000);
  assert.strictEqual(await alice.extend('ledger', 'alice', '90000'), 1);
  const left = await alice.pTTL('ledger');
  assert.ok(left > 80_000 && left <= 90_000, String(left));
});

scenario('a waiter that tries again gets the lock', async (place) => {
  const [alice, bob] = [await open(place), await open(place)];
  await take(alice, 'alice', 60_000);
  const got = until(async () => (await take(bob, 'bob', 60_000)) === 'OK');
  await sleep(3);
  await alice.release('ledger', 'alice');
  await got;
  assert.strictEqual(await alice.get('ledger'), 'bob');
});

scenario('a message arrives between replies', async (place) => {
  const [alice, bob] = [await open(place), await open(place)];
  const heard = new Promise((resolve) => alice.subscribe('freed', resolve));
  assert.strictEqual(await alice.ping(), 'PONG'); // Subscribed, and still of use.
  assert.strictEqual(await bob.publish('freed', 'ledger'), 1);
  assert.strictEqual(await heard, 'ledger');
});

scenario('a cached lock is forgotten when another takes it', async (place) => {
  const [alice, bob] = [await open(place, { clientSideCache: { ttl: 0, maxEntries: 10 } }), await open(place)];
  await take(bob, 'bob', 60_000);
  assert.strictEqual(await alice.get('ledger'), 'bob');
  assert.strictEqual(await alice.get('ledger'), 'bob');
  await bob.release('ledger', 'bob');
  await take(bob, 'carol', 60_000);
  await until(async () => (await alice.get('ledger')) === 'carol');
});

scenario('types of RESP3', async (place) => {
  const client = await open(place);
  await client.hSet('reentrant', { alice: '2' });
  assert.deepStrictEqual({ ...(await client.hGetAll('reentrant')) }, { alice: '2' });
  await client.zAdd('holders', { value: 'alice', score: 1.5 });
  assert.strictEqual(await client.zScore('holders', 'alice'), 1.5);
  assert.deepStrictEqual(await client.sendCommand(['SMEMBERS', 'none']), []);
  assert.strictEqual(await client.eval('redis.setresp(3) return true', { keys: [] }), true);
  await client.set('k', 'v');
  await assert.rejects(client.incr('k'), /not an integer/);
});

scenario.ours('a lost reply leaves a lock that nobody knows of', async (place) => {
  const [alice, bob] = [await open(place), await open(place)];
  await place.server.fault('DROP-REPLY', { command: 'set', key: 'ledger' });
  const asked = take(alice, 'alice', 10_000);
  await until(async () => (await bob.get('ledger')) === 'alice');
  alice.destroy();
  await assert.rejects(asked);
  assert.strictEqual(await take(bob, 'bob', 10_000), null);
  await place.server.advance(10_001);
  assert.strictEqual(await take(bob, 'bob', 10_000), 'OK');
});

scenario.ours('a connection that breaks behind a release', async (place) => {
  const alice = await open(place);
  await take(alice, 'alice', 10_000);
  await alice.release('ledger', 'nobody'); // The server knows the script now.
  await place.server.fault('CLOSE-AFTER', { command: 'evalsha' });
  await assert.rejects(alice.release('ledger', 'alice'), /closed/i);
  assert.strictEqual(await alice.get('ledger'), null); // It has connected again.
});

scenario.ours('a cached lock is forgotten when its lease ends', async (place) => {
  const [alice, bob] = [await open(place, { clientSideCache: { ttl: 0, maxEntries: 10 } }), await open(place)];
  await take(bob, 'bob', 10_000);
  assert.strictEqual(await alice.get('ledger'), 'bob');
  await place.server.advance(10_001);
  await until(async () => (await alice.get('ledger')) === null);
});
