// The helper itself, without any package: `node --test`.
'use strict';

const assert = require('node:assert');
const { test } = require('node:test');
const picklock = require('./picklock.js');

test('node helper: a lock expires when its time has passed', async () => {
  const server = await picklock.start({ seed: 7 });
  const client = new picklock.Connection(server.port, server.host);
  assert.strictEqual(await client.call('SET', 'lock', 'alice', 'NX', 'PX', 1500), 'OK');
  const before = await server.now();
  assert.strictEqual(await server.advance(1500), before + 1500);
  assert.strictEqual(await client.call('GET', 'lock'), 'alice');
  assert.strictEqual(await server.next(), before + 1501);
  assert.strictEqual(await client.call('GET', 'lock'), null);
  client.close();
  assert.strictEqual(await server.stop(), 0);
});

test('node helper: a blocked client is awaited, and a fault strikes', async () => {
  const server = await picklock.start();
  const waits = new picklock.Connection(server.port, server.host);
  const other = new picklock.Connection(server.port, server.host);
  const popped = waits.call('BLPOP', 'free', 0);
  assert.strictEqual(await server.waitBlocked(1), 1);
  await server.fault(['ERROR', 'LOADING not yet'], { command: 'rpush' });
  await assert.rejects(other.call('RPUSH', 'free', 'token'), /LOADING not yet/);
  assert.strictEqual(await other.call('RPUSH', 'free', 'token'), 1);
  assert.deepStrictEqual(await popped, ['free', 'token']);
  await server.fault('CLOSE-AFTER', { command: 'incr' });
  await assert.rejects(other.call('INCR', 'n'), /closed the connection/);
  assert.strictEqual(await waits.call('GET', 'n'), '1');
  await server.reset();
  assert.strictEqual(await waits.call('DBSIZE'), 0);
  waits.close();
  assert.strictEqual(await server.stop(), 0);
});

test('node helper: a server that does not start is told', async () => {
  await assert.rejects(picklock.start({ clock: 'sundial' }), /ended with 2/);
});
