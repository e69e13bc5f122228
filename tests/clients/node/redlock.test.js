// redlock, in its versions 4 and 5, over three servers; and over two when one of them is down.
'use strict';

const assert = require('node:assert');
const Redis = require('ioredis');
const redlock4 = require('redlock4');
const { default: redlock5, ExecutionError } = require('redlock');
const { OnPicklock, scenariosOf, sleep, until } = require('./places.js');

const impatient = { retryCount: 0, retryDelay: 1, retryJitter: 0 };
const patient = { retryCount: -1, retryDelay: 1, retryJitter: 0 };

// Version 4 takes one name or many, and calls a release `unlock`; else they are used alike.
const versions = [
  {
    client: 'redlock 4',
    make: (clients, settings) => new redlock4(clients, settings),
    acquire: (redlock, lease) => redlock.lock('ledger', lease),
    release: (lock) => lock.unlock(),
    refused: redlock4.LockError,
  },
  {
    client: 'redlock 5',
    make: (clients, settings) => new redlock5(clients, settings),
    acquire: (redlock, lease) => redlock.acquire(['ledger'], lease),
    release: (lock) => lock.release(),
    refused: ExecutionError,
  },
];

// What is under way when a connection breaks fails at once, and the client connects again.
function open(place) {
  const client = new Redis({ ...place.address, maxRetriesPerRequest: 0, retryStrategy: () => 1 });
  client.on('error', () => {}); // A quorum is asked; one that is down is counted, not fatal.
  return place.keep(client, () => client.disconnect());
}

for (const { client, make, acquire, release, refused } of versions) {
  const scenario = scenariosOf(client, { servers: 3 });
  const all = (place) => [place, ...place.others];
  const redlockOn = async (place, settings) => {
    const nodes = all(place).map(open);
    await Promise.all(nodes.map((node) => node.ping()));
    return Object.assign(make(nodes, settings), { nodes });
  };
  const owners = (place) => Promise.all(all(place).map((each) => each.call('GET', 'ledger')));
  // A quorum is enough for redlock: the last server may come to know a little later.
  const settledOn = (place, owner) =>
    until(async () => (await owners(place)).every((each) => each === owner));

  scenario('a lock excludes others until it is released', async (place) => {
    const [alice, bob] = [await redlockOn(place, impatient), await redlockOn(place, impatient)];
    const lock = await acquire(alice, 60_000);
    await settledOn(place, lock.value);
    await assert.rejects(acquire(bob, 60_000), refused);
    await release(lock);
    await settledOn(place, null);
    await release(await acquire(bob, 60_000));
  });

  scenario('a lock ends with its lease', async (place) => {
    const [alice, bob] = [await redlockOn(place, impatient), await redlockOn(place, impatient)];
    const lock = await acquire(alice, place.lease);
    await settledOn(place, lock.value);
    await Promise.all(all(place).map((each) => each.endLease()));
    const other = await acquire(bob, 60_000);
    await assert.rejects(lock.extend(60_000));
    await assert.rejects(release(lock));
    await settledOn(place, other.value);
  });

  scenario('a lock is extended', async (place) => {
    const alice = await redlockOn(place, impatient);
    const lock = await acquire(alice, 60_000);
    const extended = await lock.extend(90_000);
    await until(async () => {
      const left = await Promise.all(all(place).map((each) => each.call('PTTL', 'ledger')));
      return left.every((each) => each > 80_000);
    });
    await release(extended);
  });

  scenario('a waiter gets the lock by trying again', async (place) => {
    const [alice, bob] = [await redlockOn(place, impatient), await redlockOn(place, patient)];
    const lock = await acquire(alice, 60_000);
    const waiting = acquire(bob, 60_000);
    await sleep(3);
    await release(lock);
    const got = await waiting;
    assert.ok((await owners(place)).filter((each) => each === got.value).length >= 2);
  });

  scenario.ours('a lost reply is a vote less, and the lock is taken all the same', async (place) => {
    const alice = await redlockOn(place, impatient);
    await place.others[0].server.fault('CLOSE-AFTER', { command: 'eval' });
    const broken = new Promise((resolve) => alice.nodes[1].once('close', resolve));
    const lock = await acquire(alice, 10_000);
    await settledOn(place, lock.value);
    await broken; // A release that is sent before its client knows is lost, too: a quorum is enough.
    await release(lock);
    await settledOn(place, null);
  });

  scenario.ours('two lost replies are no lock, and what was taken is given back', async (place) => {
    const alice = await redlockOn(place, impatient);
    for (const each of place.others) await each.server.fault('CLOSE-AFTER', { command: 'eval' });
    await assert.rejects(acquire(alice, 10_000), refused);
    await settledOn(place, null);
    await release(await acquire(alice, 10_000));
  });

  scenario.ours('two of three servers are enough, one is not', async (place) => {
    const [second, third] = [await OnPicklock.start(), await OnPicklock.start()];
    const nodes = [place, second, third].map(open);
    const alice = make(nodes, impatient);
    await Promise.all(nodes.map((node) => node.ping()));
    await third.stop();
    const lock = await acquire(alice, 10_000);
    for (const each of [place, second]) assert.strictEqual(await each.call('GET', 'ledger'), lock.value);
    await second.stop();
    await assert.rejects(lock.extend(10_000), refused);
    await assert.rejects(acquire(alice, 10_000), refused);
    for (const node of nodes) node.disconnect();
  });
}

const scenario = scenariosOf('redlock 5');

scenario.ours('`using` extends the lock while its routine runs', async (place) => {
  const node = open(place);
  const realNow = Date.now;
  place.keep(node, () => (Date.now = realNow));
  // The threshold is so near the lease that the lock is extended every few milliseconds.
  const redlock = new redlock5([node], { ...impatient, automaticExtensionThreshold: 59_395 });
  let told;
  const using = redlock.using(['ledger'], 60_000, async (signal) => {
    await place.server.advance(50_000);
    await until(async () => (await place.call('PTTL', 'ledger')) > 55_000);
    assert.strictEqual(signal.aborted, false);
    await place.server.advance(60_001);
    Date.now = () => realNow() + 60_001; // The client's own clock goes with it.
    await until(() => signal.aborted);
    told = signal.error;
  });
  await assert.rejects(using, ExecutionError); // Its release finds no lock any more.
  assert.ok(told instanceof ExecutionError);
});
