// redis-semaphore: its mutex and semaphores, which refresh their lease by themselves and tell when it is lost.
'use strict';

const assert = require('node:assert');
const { once } = require('node:events');
const Redis = require('ioredis');
const { LostLockError, MultiSemaphore, Mutex, Semaphore, TimeoutError } = require('redis-semaphore');
const { scenariosOf, sleep, until } = require('./places.js');

const scenario = scenariosOf('redis-semaphore');

function open(place, options) {
  const client = new Redis({ ...place.address, retryStrategy: () => 1, ...options });
  client.on('error', () => {});
  return place.keep(client, () => client.disconnect());
}

// Nobody refreshes but those who say so; who waits tries again each millisecond.
const settings = { lockTimeout: 60_000, refreshInterval: 0, retryInterval: 1 };
const impatient = { ...settings, acquireAttemptsLimit: 1 };
const kinds = {
  mutex: (client, options) => new Mutex(client, 'ledger', options),
  'semaphore of one': (client, options) => new Semaphore(client, 'ledger', 1, options),
  'multi semaphore of two': (client, options) => new MultiSemaphore(client, 'ledger', 2, 2, options),
};

for (const [kind, make] of Object.entries(kinds)) {
  scenario(`a ${kind} excludes others until it is released`, async (place) => {
    const [alice, bob] = [make(open(place), settings), make(open(place), impatient)];
    await alice.acquire();
    await assert.rejects(bob.acquire(), TimeoutError);
    await alice.release();
    await bob.acquire();
    await bob.release();
  });

  scenario(`a ${kind} is waited for`, async (place) => {
    const [alice, bob] = [make(open(place), settings), make(open(place), settings)];
    await alice.acquire();
    const waiting = bob.acquire();
    await sleep(3);
    await alice.release();
    await waiting;
    assert.ok(bob.isAcquired);
  });

  scenario.ours(`a ${kind} is refreshed while time passes`, async (place) => {
    const client = open(place);
    const alice = make(client, { ...settings, refreshInterval: 2 });
    place.keep(alice, () => alice.stopRefresh());
    await alice.acquire();
    const [key] = await client.keys('*');
    for (let i = 0; i < 3; ++i) {
      await place.server.advance(50_000);
      await until(async () => (await client.pttl(key)) > 55_000);
    }
    assert.ok(alice.isAcquired);
    await alice.release();
    assert.strictEqual(await client.exists(key), 0);
  });
}

scenario('a mutex ends with its lease', async (place) => {
  const [alice, bob] = [
    new Mutex(open(place), 'ledger', { ...settings, lockTimeout: place.lease }),
    new Mutex(open(place), 'ledger', impatient),
  ];
  await alice.acquire();
  await place.endLease();
  await bob.acquire();
  await alice.release(); // Not Bob's.
  assert.strictEqual(await open(place).get('mutex:ledger'), bob.identifier);
});

scenario.ours('who loses the lock is told so', async (place) => {
  const lost = new Promise((resolve) => {
    const alice = new Mutex(open(place), 'ledger', { ...settings, refreshInterval: 2, onLockLost: resolve });
    place.keep(alice, () => alice.stopRefresh());
    alice.acquire().then(() => place.server.advance(60_001));
  });
  assert.ok((await lost) instanceof LostLockError);
});

scenario('a semaphore lets as many in as it says', async (place) => {
  const make = () => new Semaphore(open(place), 'seats', 2, impatient);
  const [alice, bob, carol] = [make(), make(), make()];
  await alice.acquire();
  await bob.acquire();
  await assert.rejects(carol.acquire(), TimeoutError);
  await alice.release();
  await carol.acquire();
});

scenario.ours('a lost reply leaves a mutex that nobody knows of', async (place) => {
  const client = open(place, { commandTimeout: 15 });
  await once(client, 'ready'); // The time limit is for the request alone.
  const alice = new Mutex(client, 'ledger', impatient);
  const bob = new Mutex(open(place), 'ledger', impatient);
  await place.server.fault('DROP-REPLY', { command: 'set' });
  await assert.rejects(alice.acquire(), /timed out/);
  await assert.rejects(bob.acquire(), TimeoutError);
  await place.server.advance(60_001);
  await bob.acquire();
});
