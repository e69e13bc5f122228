// Where a scenario of a sentinel's clients runs: on a picklock-server with two replicas and a sentinel, and on three
// redis-servers with a real sentinel, made anew for each. Used by ioredis_sentinel.test.js.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, test } = require('node:test');
const picklock = require('./picklock.js');
const { answers, freePorts, sleep } = require('./places.js');

const kName = 'mymaster';
const kReplicas = ['r1', 'r2'];

/** Asks again until it is true, for twenty seconds at most. */
async function until(asked) {
  const end = performance.now() + 20_000;
  while (!(await asked())) {
    if (performance.now() > end) throw new Error(`this has not come true: ${asked}`);
    await sleep(10);
  }
}

/** A primary, its replicas and their sentinel. */
class SentinelPlace {
  constructor(ports, sentinelPort) {
    this.ports = ports;
    this.sentinelPort = sentinelPort;
    this.sentinel = new picklock.Connection(sentinelPort, '127.0.0.1');
    this.ends = [];
  }
  get options() {
    return { sentinels: [{ host: '127.0.0.1', port: this.sentinelPort }], name: kName };
  }
  keep(client, end) {
    this.ends.unshift(end);
    return client;
  }
  ask(...words) {
    return this.sentinel.call('SENTINEL', ...words);
  }
  async masterPort() {
    return Number((await this.ask('GET-MASTER-ADDR-BY-NAME', kName))[1]);
  }
  /** What a server says, asked again where a sentinel that reconfigures it has ended the connection. */
  async call(port, ...words) {
    for (const end = Date.now() + 10_000; ; ) {
      const connection = new picklock.Connection(port, '127.0.0.1');
      try {
        return await connection.call(...words);
      } catch (error) {
        if (Date.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, 10));
      } finally {
        connection.close();
      }
    }
  }
  /** By SENTINEL FAILOVER; until another server is the master, and the old one knows it. */
  async failOver() {
    const before = await this.masterPort();
    await this.ask('FAILOVER', kName);
    await until(async () => (await this.masterPort()) !== before);
    await until(async () => (await this.call(before, 'ROLE'))[0] === 'slave');
  }
  async stop() {
    for (const end of this.ends) await end();
    this.sentinel.close();
    await this.end();
  }
}

async function startPicklock() {
  const server = await picklock.start({ replica: kReplicas, sentinel: 0 });
  const ports = [server.port, ...kReplicas.map((name) => server.ports[name])];
  return Object.assign(new SentinelPlace(ports, server.ports.sentinel), {
    end: () => server.stop(),
    async letWritesLag() {
      for (const name of kReplicas) await server.node('LAG', name, 'ALL');
    },
    /** It dies, and is replaced: at once, since the test says what time it is. */
    async crashPrimary() {
      await server.node('STOP', 'default');
      await server.advance(30_001);
    },
  });
}

async function startRedis() {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'picklock-sentinel-'));
  const [sentinelPort, ...ports] = await freePorts(4);
  const children = [];
  const start = (...words) => children.push(spawn('redis-server', words.map(String), { stdio: 'ignore', cwd: directory }));
  for (const [i, port] of ports.entries())
    start('--port', port, '--bind', '127.0.0.1', '--save', '', '--repl-diskless-sync-delay', '0',
      ...(i > 0 ? ['--replicaof', `127.0.0.1 ${ports[0]}`] : []));
  for (const port of ports) await until(() => answers(port));
  const file = path.join(directory, 'sentinel.conf');
  fs.writeFileSync(file, `port ${sentinelPort}\nbind 127.0.0.1\nsentinel monitor ${kName} 127.0.0.1 ${ports[0]} 1\n`);
  start(file, '--sentinel');
  await until(() => answers(sentinelPort));
  const place = new SentinelPlace(ports, sentinelPort);
  for (const port of ports.slice(1)) await until(async () => (await place.call(port, 'ROLE'))[3] === 'connected');
  // So that what takes it seconds takes it parts of one. It trusts what is younger than five PING-PERIODs, and asks
  // replicas whose master is down once a second.
  await place.ask('DEBUG', 'INFO-PERIOD', 100, 'PING-PERIOD', 300, 'PUBLISH-PERIOD', 100, 'ASK-PERIOD', 100);
  await until(async () => {
    const replicas = await place.ask('REPLICAS', kName);
    return replicas.length === 2 && replicas.every((each) => each[each.indexOf('master-link-status') + 1] === 'ok');
  });
  const end = async () => {
    for (const child of children) {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        await ended;
      }
    }
    fs.rmSync(directory, { recursive: true });
  };
  return Object.assign(place, {
    end,
    async letWritesLag() {
      const primary = new picklock.Connection(ports[0], '127.0.0.1');
      await primary.call('CONFIG', 'SET', 'requirepass', 'unknown to the replicas');
      await primary.call('CLIENT', 'KILL', 'TYPE', 'replica');
      primary.close();
    },
    async crashPrimary() {
      await place.ask('SET', kName, 'DOWN-AFTER-MILLISECONDS', 300);
      children[0].kill('SIGKILL');
      await until(async () => (await place.masterPort()) !== ports[0]);
      // The new one may be slow on a busy machine, and is not to be replaced for that.
      await place.ask('SET', kName, 'DOWN-AFTER-MILLISECONDS', 30_000);
    },
  });
}

/** scenario(title, body): runs body(place) on both places. */
function sentinelScenariosOf(client) {
  after(() => setTimeout(() => process.exit(), 3000).unref());
  const starters = { picklock: startPicklock, redis: startRedis };
  return (title, body) => {
    for (const name of Object.keys(starters)) {
      test(`${client}: ${title} [${name}]`, { timeout: 60_000 }, async () => {
        const place = await starters[name]();
        try {
          await body(place);
        } finally {
          await place.stop();
        }
      });
    }
  };
}

module.exports = { sentinelScenariosOf, until };
