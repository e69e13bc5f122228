// Where a scenario of a real client runs: on picklock-server, whose clock the scenario moves, and on a real
// redis-server, where leases are cut short so that they end at once. Used by the *.test.js beside it.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const readline = require('node:readline');
const { after, test } = require('node:test');
const picklock = require('./picklock.js');

const kLease = 30_000;

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Asks again each millisecond until `asked()` is true, for five seconds at most. */
async function until(asked) {
  const end = performance.now() + 5000;
  while (!(await asked())) {
    if (performance.now() > end) throw new Error(`this has not come true: ${asked}`);
    await sleep(1);
  }
}

/** Resolves to whether the port was free; `probe` has it then until it is closed. */
function takes(probe, port) {
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => resolve(true));
  });
}

/** Different ones that nobody has, below those that the system gives to whoever connects. */
async function freePorts(count) {
  const probes = [];
  while (probes.length < count) {
    const probe = net.createServer();
    if (await takes(probe, 10_000 + Math.floor(Math.random() * 20_000))) probes.push(probe);
  }
  const ports = probes.map((probe) => probe.address().port);
  for (const probe of probes) await new Promise((resolve) => probe.close(resolve));
  return ports;
}

/** Whether anybody listens there. */
function answers(port) {
  return new Promise((resolve) => {
    const probe = net.connect(port, '127.0.0.1').on('error', () => resolve(false));
    probe.on('connect', () => resolve(probe.destroy() && true));
  });
}

/** What both places have: clients that end with the scenario, and servers of its own. */
class Place {
  constructor() {
    this.ends = [];
  }
  /** Has `end` called when the scenario is over, the last one first; returns `client`. */
  keep(client, end) {
    this.ends.unshift(end);
    return client;
  }
  async leave() {
    for (const end of this.ends.splice(0)) await end();
    // What they have sent and nobody has read yet must not reach the next scenario.
    await this.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  }
}

/** The emulator: leases last as long as anybody wants, since time passes only when told. */
class OnPicklock extends Place {
  constructor(server) {
    super();
    this.name = 'picklock';
    this.server = server;
    this.lease = kLease;
    this.address = { host: server.host, port: server.port };
  }
  static async start(options) {
    return new OnPicklock(await picklock.start(options));
  }
  endLease() {
    return this.server.advance(this.lease + 1);
  }
  waitBlocked(clients) {
    return this.server.waitBlocked(clients);
  }
  call(...words) {
    return this.server.call(...words);
  }
  clear() {
    return this.server.reset();
  }
  /** A fault that nothing ran into is a scenario that shows nothing. */
  async leave() {
    const faults = await this.server.call('PICKLOCK', 'FAULT', 'LIST');
    await super.leave();
    for (const [, , , fault, , , , struck] of faults) if (struck === 0) throw new Error(`no request ran into ${fault}`);
  }
  stop() {
    return this.server.stop();
  }
}

/** A real server on a Unix socket. */
class OnRedis extends Place {
  constructor(child, directory) {
    super();
    this.name = 'redis';
    this.child = child;
    this.directory = directory;
    this.lease = kLease;
    this.address = { path: path.join(directory, 'redis.sock') };
    this.control = new picklock.Connection(this.address.path);
  }
  static start() {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'picklock-node-'));
    const words = ['--port', '0', '--unixsocket', path.join(directory, 'redis.sock'), '--save', ''];
    const child = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'inherit'], cwd: directory });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
      readline.createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.includes('eady to accept connections')) resolve(new OnRedis(child, directory));
      });
    });
  }
  /**
   * What fits the pattern has 50 ms left: more than a busy machine takes from Redis before it looks whether the deadline
   * has passed already, for then the key is deleted and does not expire.
   */
  async endLease(pattern = '*') {
    for (const key of await this.call('KEYS', pattern)) await this.call('PEXPIRE', key, 50);
    await sleep(53);
  }
  /** Asks until so many clients are blocked: a real server has no barrier. */
  async waitBlocked(clients) {
    for (;;) {
      const found = /blocked_clients:(\d+)/.exec(await this.call('INFO', 'clients'));
      if (Number(found[1]) >= clients) return;
    }
  }
  call(...words) {
    return this.control.call(...words);
  }
  async clear() {
    await this.call('FLUSHALL');
    await this.call('SCRIPT', 'FLUSH');
  }
  stop() {
    this.control.close();
    return new Promise((resolve) => {
      this.child.removeAllListeners('exit');
      this.child.once('exit', resolve);
      this.child.kill('SIGTERM');
    }).then(() => fs.rmSync(this.directory, { recursive: true }));
  }
}

/**
 * scenariosOf(client): a function `scenario(title, body)` that runs body(place) on both places, and
 * scenario.ours(title, body) for what needs a clock or a fault. `servers` is how many of each there are, beside the
 * place itself, in place.others; `options` are those of picklock-server.
 */
function scenariosOf(client, { options = {}, servers = 1 } = {}) {
  const started = {};
  const starters = { picklock: () => OnPicklock.start(options), redis: () => OnRedis.start() };
  const placeOf = async (name) => {
    if (!started[name]) {
      const places = await Promise.all(Array.from({ length: servers }, starters[name]));
      started[name] = Object.assign(places[0], { others: places.slice(1) });
    }
    for (const place of [started[name], ...started[name].others]) await place.clear();
    return started[name];
  };
  after(async () => {
    const all = Object.values(started).flatMap((place) => [place, ...place.others]);
    // A scenario that has run out of time may leave a client that connects for ever, or a server that hangs.
    setTimeout(() => {
      for (const { child, server } of all) (child || server.child).kill('SIGKILL');
      process.exit();
    }, 3000).unref();
    for (const each of all) {
      await each.stop();
    }
  });
  const register = (names) => (title, body) => {
    for (const name of names) {
      test(`${client}: ${title} [${name}]`, { timeout: 10_000 }, async () => {
        const place = await placeOf(name);
        try {
          await body(place);
        } finally {
          for (const each of [place, ...place.others]) await each.leave();
        }
      });
    }
  };
  return Object.assign(register(['picklock', 'redis']), { ours: register(['picklock']) });
}

module.exports = { scenariosOf, OnPicklock, OnRedis, answers, freePorts, sleep, until };
