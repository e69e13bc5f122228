// ioredis's Cluster on three nodes: locks with hash tags, and the redirections that it has to follow.
'use strict';

const assert = require('node:assert');
const Redis = require('ioredis');
const { clusterScenariosOf } = require('./clusters.js');
const { until } = require('./places.js');

const scenario = clusterScenariosOf('ioredis, cluster');

function open(place) {
  const client = new Redis.Cluster([place.nodes[0]], { slotsRefreshInterval: 0 });
  client.on('error', () => {});
  client.defineCommand('release', {
    numberOfKeys: 1,
    lua: "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0",
  });
  return place.keep(client, () => client.disconnect());
}

const ownerOf = (slot) => (slot < 5461 ? 0 : slot < 10923 ? 1 : 2);

scenario('keys go to all nodes and come back', async (place) => {
  const client = open(place);
  const names = Array.from({ length: 200 }, (_, i) => `key:${i}`);
  for (const name of names) assert.strictEqual(await client.set(name, name), 'OK');
  for (const name of names) assert.strictEqual(await client.get(name), name);
  const sizes = await Promise.all([0, 1, 2].map((node) => place.call(node, 'DBSIZE')));
  assert.strictEqual(sizes.reduce((sum, size) => sum + size), 200);
  assert.ok(sizes.every((size) => size > 40), String(sizes));
});

scenario('a lock with a hash tag is released by a script', async (place) => {
  const [alice, bob] = [open(place), open(place)];
  for (const account of ['{1000}', '{1001}', '{1002}', '{1003}']) {
    const lock = `${account}:lock`;
    assert.strictEqual(await alice.set(lock, 'alice', 'PX', 60_000, 'NX'), 'OK');
    assert.strictEqual(await bob.set(lock, 'bob', 'PX', 60_000, 'NX'), null);
    assert.strictEqual(await bob.release(lock, 'bob'), 0); // EVALSHA, NOSCRIPT, EVAL on each node's first.
    assert.strictEqual(await alice.release(lock, 'alice'), 1);
    assert.deepStrictEqual(await alice.mset(`${account}:a`, 1, `${account}:b`, 2), 'OK');
  }
});

scenario('keys of two slots in one request are refused', async (place) => {
  const client = open(place);
  await assert.rejects(client.eval('return 1', 2, 'foo', 'bar'), /CROSSSLOT/);
  await assert.rejects(client.mset('foo', 1, 'bar', 2), /CROSSSLOT/);
});

scenario('a slot that was handed over is found again', async (place) => {
  const client = open(place);
  const slot = await place.call(0, 'CLUSTER', 'KEYSLOT', 'ledger');
  assert.strictEqual(await client.set('ledger', 'alice', 'PX', 60_000, 'NX'), 'OK');
  assert.strictEqual(await client.release('ledger', 'alice'), 1);
  const [from, to] = [ownerOf(slot), (ownerOf(slot) + 1) % 3];
  await place.giveSlot(slot, to);
  try {
    assert.strictEqual(await client.set('ledger', 'alice', 'PX', 60_000, 'NX'), 'OK');
    assert.strictEqual(await place.call(to, 'GET', 'ledger'), 'alice');
    await assert.rejects(place.call(from, 'GET', 'ledger'), new RegExp(`MOVED ${slot} 127.0.0.1:${place.ports[to]}`));
    assert.strictEqual(await client.release('ledger', 'alice'), 1);
  } finally {
    await place.call(to, 'DEL', 'ledger');
    await place.giveSlot(slot, from);
  }
});

scenario('a slot that is on its way is asked for', async (place) => {
  const client = open(place);
  const slot = await place.call(0, 'CLUSTER', 'KEYSLOT', 'ledger');
  const [from, to] = [ownerOf(slot), (ownerOf(slot) + 1) % 3];
  await client.set('{ledger}:stays', 'here');
  await place.openSlot(slot, from, to);
  try {
    assert.strictEqual(await client.set('ledger', 'alice', 'PX', 60_000, 'NX'), 'OK');
    assert.strictEqual(await client.get('ledger'), 'alice');
    assert.strictEqual(await client.get('{ledger}:stays'), 'here');
    assert.strictEqual(await place.call(to, 'CLUSTER', 'COUNTKEYSINSLOT', slot), 1);
    assert.strictEqual(await place.call(from, 'CLUSTER', 'COUNTKEYSINSLOT', slot), 1);
    assert.strictEqual(await client.release('ledger', 'alice'), 1);
  } finally {
    for (const node of [from, to]) await place.call(node, 'CLUSTER', 'SETSLOT', slot, 'STABLE');
  }
});

scenario('a release is published to who waits at another node', async (place) => {
  const [waits, releases] = [open(place), open(place)];
  const heard = [];
  waits.on('message', (channel, message) => heard.push([channel, message]));
  await waits.subscribe('freed');
  for (const node of [0, 1, 2]) await place.call(node, 'PUBLISH', 'freed', `node ${node}`);
  await releases.publish('freed', 'ledger');
  await until(() => heard.length === 4);
  assert.deepStrictEqual(heard.map(([, message]) => message).sort(), ['ledger', 'node 0', 'node 1', 'node 2']);
});
