// The helper itself, without any package: `node --test`.
'use strict';

const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const { networkInterfaces } = require('node:os');
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

/** Waits until it is so, for five seconds. */
async function until(itIsSo) {
  for (let i = 0; i < 500; ++i) {
    if (itIsSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail('it does not come true: ' + itIsSo);
}

test('node helper: a program that stops nothing ends, and its server with it', async () => {
  const program = `
    const picklock = require('./picklock.js');
    picklock.start().then(async (server) => {
      const client = new picklock.Connection(server.port, server.host);
      await client.call('SET', 'lock', 'alice');
      console.log(server.child.pid);
      throw new Error('a failed assertion');
    }).catch(() => {});`;
  const pid = Number(execFileSync('node', ['-e', program], { cwd: __dirname, timeout: 20000 }));
  await until(() => {
    try {
      return !process.kill(pid, 0);
    } catch {
      return true;
    }
  });
});

test('node helper: a server that has ended by itself, or has been stopped, is stopped', async () => {
  const server = await picklock.start();
  await assert.rejects(server.call('SHUTDOWN'), /closed the connection/);
  await until(() => server.child.exitCode !== null);
  assert.strictEqual(await server.stop(), 0);
  assert.strictEqual(await server.stop(), 0);
});

test('node helper: it steers a server with a password, and on an IPv6 address', async () => {
  const hasIpv6 = Object.values(networkInterfaces()).flat().some(({ address }) => address === '::1');
  const host = hasIpv6 ? '::1' : '127.0.0.1';
  const server = await picklock.start({ requirepass: 'open sesame', bind: host });
  assert.strictEqual(server.host, host);
  assert.strictEqual(await server.advance(1), await server.now());
  assert.strictEqual(await server.stop(), 0);
});

test('node helper: it connects anew where a test has closed all connections', async () => {
  const server = await picklock.start();
  const client = new picklock.Connection(server.port, server.host);
  assert.strictEqual(await client.call('CLIENT', 'KILL', 'TYPE', 'normal'), 1);
  await until(() => server.control.socket.readableEnded);
  await server.reset();
  assert.strictEqual(await server.stop(), 0);
});
